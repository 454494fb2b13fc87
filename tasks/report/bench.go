package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/gate"
)

// Host is the configuration lines of the Go benchmark format.
type Host struct {
	GOOS, GOARCH string
	// Module is the module's path, which the keys of the benches leave out.
	Module string
}

// BenchFormat writes what was counted in the Go benchmark format
// (golang.org/design/14313-benchmark-format), which benchstat reads: one line a
// bench, and one for each run where runs disagree. The units are marked exact,
// so that benchstat tells of values that vary.
func BenchFormat(w io.Writer, verdicts []gate.Verdict, host Host) error {
	var out strings.Builder
	fmt.Fprintf(&out, "goos: %s\ngoarch: %s\n", host.GOOS, host.GOARCH)
	for _, unit := range []string{"instructions/op", "allocs/op", "B/op"} {
		fmt.Fprintf(&out, "Unit %s better=lower assume=exact\n", unit)
	}
	last := ""
	for i := range verdicts {
		v := &verdicts[i]
		if _, _, _, ok := v.PerOperation(); !ok {
			continue
		}
		pkg, name := count.SplitKey(v.Bench)
		pkg = strings.TrimSuffix(host.Module+"/"+pkg, "/")
		if pkg != last {
			fmt.Fprintf(&out, "\npkg: %s\n", oneWord(pkg))
			last = pkg
		}
		writeBench(&out, v, name)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func writeBench(out *strings.Builder, v *gate.Verdict, name string) {
	totals := []int64{v.Count.Total}
	if v.Varies() {
		totals = v.Count.Runs
	}
	for _, total := range totals {
		run := *v.Count
		run.Total = total
		one := gate.Verdict{Count: &run}
		ir, allocs, bytes, _ := one.PerOperation()
		fmt.Fprintf(out, "Benchmark%s\t%d\t%s instructions/op\t%s allocs/op\t%s B/op\n",
			oneWord(name), run.Iters, ir, allocs, bytes)
	}
}

// oneWord makes a name one field of a line, as the testing package does.
func oneWord(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, escape(name))
}
