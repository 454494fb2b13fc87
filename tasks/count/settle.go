package count

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/perfpin/perfpin/tasks/atomicfile"
	"github.com/perfpin/perfpin/tasks/gobench"
)

// A Counter counts benchmarks.
type Counter struct {
	Callgrind Callgrind
	// Pass is what the user hands on to measured processes on purpose, as NAME=VALUE.
	Pass   []string
	Limits gobench.Limits
	// Perturbation changes what must not move a count; the zero one changes nothing.
	Perturbation Perturbation
	// Profiles is the folder that profiles are kept in, relative to Root, the
	// module's folder. Libc is the host's C library, as "glibc 2.36".
	Root, Profiles, Libc string
}

// An Expectation is what a pin says that a benchmark costs.
type Expectation struct {
	// Iters is 0 where there is no pin.
	Iters, Total int64
	// Allocs and Bytes are nil where they are not pinned: then any are expected.
	Allocs, Bytes *int64
}

func (e Expectation) holds(s signature) bool {
	return e.Iters > 0 && s.total == e.Total &&
		(e.Allocs == nil || s.allocs == *e.Allocs) && (e.Bytes == nil || s.bytes == *e.Bytes)
}

const (
	// agree runs with the same counts settle what a benchmark costs, where its first
	// run is not as pinned.
	agree = 3
	// most is how many runs there are for that.
	most = 9
)

// Settle counts the benchmark. A first run that is as expected settles it; else
// runs are repeated until enough of them agree. Where they never do, the Count is
// not Settled, and what it says is what most runs say.
func (c Counter) Settle(ctx context.Context, bench gobench.Bench, want Expectation) Count {
	count := Count{Bench: bench.Key, Libc: c.libc(bench), Err: bench.Err}
	if count.Err != nil {
		return count
	}
	iters := want.Iters
	if iters == 0 {
		first, err := c.Once(ctx, bench, 1)
		if err != nil {
			return failed(count, err)
		}
		iters = chooseIters(first)
	}
	var runs []signature
	for !count.Settled && len(runs) < most {
		run, err := c.Once(ctx, bench, iters)
		if err != nil {
			return failed(count, err)
		}
		count.Runs = append(count.Runs, run.Total)
		runs = append(runs, run.signature())
		var chosen int
		if chosen, count.Settled = settle(runs, want); chosen == len(runs)-1 {
			count.Iters, count.Total, count.Allocs, count.Bytes = run.Iters, run.Total, run.Allocs, run.Bytes
			if count.Profile, err = c.keep(bench.Key, run.Profile); err != nil {
				return failed(count, err)
			}
		}
	}
	return count
}

// settle returns which of the runs, of which there is at least one, speaks for all,
// and whether that is settled. It is settled by the first run where that is as
// expected, else by the first that agrees with enough others, within the most runs
// that there would be. Where none does, a run speaks for all that agrees with more
// before it than any other does; of several, the first.
func settle(runs []signature, want Expectation) (chosen int, settled bool) {
	if want.holds(runs[0]) {
		return 0, true
	}
	counts := make(map[signature]int)
	for i, s := range runs[:min(len(runs), most)] {
		counts[s]++
		if s != runs[chosen] && counts[s] > counts[runs[chosen]] {
			chosen = i
		}
		if counts[s] == agree {
			return chosen, true
		}
	}
	return chosen, false
}

// A signature is what runs agree on.
type signature struct{ total, allocs, bytes int64 }

func (r Run) signature() signature { return signature{r.Total, r.Allocs, r.Bytes} }

func failed(count Count, err error) Count {
	return Count{Bench: count.Bench, Libc: count.Libc, Err: err}
}

func (c Counter) libc(bench gobench.Bench) string {
	if bench.Static() {
		return "static"
	}
	return c.Libc
}

// chooseIters returns how many operations are counted together, from what one cost:
// enough for a million instructions, so that what an operation only does now and
// then shows in its share. Valgrind throws its translations away where counting
// starts and stops: a benchmark that does so in each operation gets few.
func chooseIters(one Run) int64 {
	const enough, limit, limitOfRegions = 1_000_000, 1_000, 20
	iters := int64(1)
	for _, step := range []int64{1, 2, 5, 10, 20, 50, 100, 200, 500, limit} {
		if one.Regions > 1 && step > limitOfRegions {
			break
		}
		iters = step
		if step*one.Total >= enough {
			break
		}
	}
	return iters
}

// keep writes the profile and returns its path, relative to the module.
func (c Counter) keep(key string, profile Profile) (string, error) {
	path := ProfilePath(c.Profiles, key)
	return path, atomicfile.Write(filepath.Join(c.Root, path), profile.Text)
}

// escape makes an element of a benchmark's name one of a path.
func escape(element string) string {
	var b strings.Builder
	for _, c := range []byte(element) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("._-+=,()*", c) >= 0:
			b.WriteByte(c)
		default:
			const digits = "0123456789ABCDEF"
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	switch name := b.String(); {
	case name == "" || strings.Trim(name, ".") == "":
		return strings.Repeat("%2E", len(name)) + "%"
	case len(name) > 200: // NAME_MAX is 255
		return name[:180] + "%" + digest(element)
	default:
		return name
	}
}
