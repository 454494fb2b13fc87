package gate

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/count"
)

var here = budget.Platform{Go: "go1.26.8", Target: "linux/amd64/v1", Libc: "static", CPU: "avx2", Seed: "fixed"}

// parse returns a file with these lines under [budgets].
func parse(t testing.TB, lines ...string) *budget.File {
	t.Helper()
	text := "[pinned]\ngo = \"go1.26.8\"\ntarget = \"linux/amd64/v1\"\nlibc = \"static\"\ncpu = \"avx2\"\nseed = \"fixed\"\n" +
		"[gate]\nband = \"2%\"\n[budgets]\n" + strings.Join(lines, "\n")
	file, err := budget.Parse("budgets.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func settled(bench string, iters, total int64) count.Count {
	return count.Count{Bench: bench, Iters: iters, Total: total, Runs: []int64{total}, Settled: true}
}

// tellAll writes verdicts as "bench kind" lines, with the first reason.
func tellAll(verdicts []Verdict) string {
	var lines []string
	for _, v := range verdicts {
		line := v.Bench + " " + string(v.Kind)
		if v.Err != nil {
			line += ": " + v.Err.Error()
		}
		if v.Moved != nil {
			line += ": " + strings.Join(v.Moved, "; ")
		}
		for _, d := range v.Differences {
			line += fmt.Sprintf(": %s %q here %q", d.Field, d.Pinned, d.Here)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestJudgeOneBench(t *testing.T) {
	const (
		plain = `x = { ir = 1000, iters = 10 }` // band 2%: 9800 to 10200
		exact = `x = { ir = 1000, iters = 10, band = "0%" }`
		heap  = `x = { ir = 1000, iters = 10, allocs = 0.5, bytes = 8 }`
	)
	runs := func(runs ...int64) count.Count {
		return count.Count{Bench: "x", Iters: 10, Total: runs[0], Runs: runs}
	}
	allocs := func(allocs, bytes int64) count.Count {
		c := settled("x", 10, 10000)
		c.Allocs, c.Bytes = allocs, bytes
		return c
	}
	tests := []struct {
		name  string
		pin   string
		count count.Count
		want  string
	}{
		{"equal", plain, settled("x", 10, 10000), "within"},
		{"upper edge", plain, settled("x", 10, 10200), "within"},
		{"above", plain, settled("x", 10, 10201), "regressed: instructions: 10201, pinned 10000"},
		{"lower edge", plain, settled("x", 10, 9800), "within"},
		{"below", plain, settled("x", 10, 9799), "improved: instructions: 9799, pinned 10000"},
		{"exact", exact, settled("x", 10, 10000), "within"},
		{"one more", exact, settled("x", 10, 10001), "regressed: instructions: 10001, pinned 10000"},
		{"one less", exact, settled("x", 10, 9999), "improved: instructions: 9999, pinned 10000"},
		{"same heap", heap, allocs(5, 80), "within"},
		{"more allocs", heap, allocs(6, 80), "regressed: allocs: 6, pinned 5"},
		{"more bytes", heap, allocs(5, 81), "regressed: bytes: 81, pinned 80"},
		{"fewer allocs", heap, allocs(4, 80), "improved: allocs: 4, pinned 5"},
		{"fewer bytes, more allocs", heap, allocs(6, 79), "regressed: allocs: 6, pinned 5; bytes: 79, pinned 80"},
		{"heap not pinned", plain, allocs(6, 79), "within"},
		{"no pin", "", settled("x", 10, 10000), "unpinned"},
		{"runs inside", plain, runs(10000, 9800, 10200), "within"},
		{"runs above", plain, runs(10201, 10300), "regressed: instructions: 10201, pinned 10000"},
		{"runs below", plain, runs(9799, 9000), "improved: instructions: 9799, pinned 10000"},
		{"runs on the edge", plain, runs(10200, 10201), "failed: runs disagree: 10200 to 10201 instructions, and the band of 2% is 9800 to 10200"},
		{"runs on both sides", plain, runs(9000, 11000), "failed: runs disagree: 9000 to 11000 instructions, and the band of 2% is 9800 to 10200"},
		{"one run below", plain, runs(10000, 9799), "failed: runs disagree: 9799 to 10000 instructions, and the band of 2% is 9800 to 10200"},
		{"runs exact", exact, runs(10000, 10001), "failed: runs disagree: 10000 to 10001 instructions, and the band of 0% is 10000 to 10000"},
		{"other iters", plain, settled("x", 20, 20000), "failed: counted 20 operations, but the pin is of 10"},
		{"nothing counted", plain, settled("x", 10, 0), "failed: counted 0 instructions in 10 operations: want at least one an operation"},
		{"fewer than operations", plain, settled("x", 10, 9), "failed: counted 9 instructions in 10 operations: want at least one an operation"},
		{"negative heap", plain, allocs(0, -1), "failed: counted 0 allocations and -1 bytes: neither can be negative"},
		{"error", plain, count.Count{Bench: "x", Err: errors.New("panicked")}, "failed: panicked"},
		{"huge", `x = { ir = 9223372036854775807, iters = 1 }`, settled("x", 1, math.MaxInt64), "within"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			verdicts := Judge([]count.Count{test.count}, parse(t, test.pin), here, Options{})
			if got := tellAll(verdicts); got != "x "+test.want {
				t.Errorf("got %s, want x %s", got, test.want)
			}
		})
	}
}

func TestJudgeUnion(t *testing.T) {
	file := parse(t, `"p.A" = { ir = 1, iters = 10 }`, `"p.Gone" = { ir = 1, iters = 10 }`, `"q.B" = { ir = 1, iters = 10 }`)
	counts := []count.Count{settled("p.New", 10, 10), settled("p.A", 10, 10), {Bench: "p.Bad", Err: errors.New("timed out")}}
	other := here
	other.Go = "go1.27.0"
	tests := []struct {
		name     string
		platform budget.Platform
		opts     Options
		want     string
	}{
		{"all", here, Options{}, "p.A within\np.Bad failed: timed out\np.Gone missing\np.New unpinned\nq.B missing"},
		{"filtered", here, Options{Filtered: true}, "p.A within\np.Bad failed: timed out\np.New unpinned"},
		{"broken package", here, Options{Broken: BrokenPackages{{"q", "q", errors.New("does not compile")}}},
			"p.A within\np.Bad failed: timed out\np.Gone missing\np.New unpinned\nq failed: does not compile\nq.B failed: not counted: package q failed"},
		{"other platform", other, Options{}, strings.NewReplacer("$", `not comparable: go "go1.26.8" here "go1.27.0"`).Replace(
			"p.A $\np.Bad failed: timed out\np.Gone $\np.New $\nq.B $")},
		{"other platform, filtered", other, Options{Filtered: true}, strings.NewReplacer("$", `not comparable: go "go1.26.8" here "go1.27.0"`).Replace(
			"p.A $\np.Bad failed: timed out\np.New $")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := tellAll(Judge(counts, file, test.platform, test.opts)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
	twice := tellAll(Judge([]count.Count{settled("p.A", 10, 10), settled("p.A", 10, 10)}, file, here, Options{Filtered: true}))
	if want := "p.A within\np.A failed: was counted twice in one run"; twice != want {
		t.Errorf("got\n%s\nwant\n%s", twice, want)
	}
}

// A broken package takes its own pins with it, and those of no other: the module's
// root is no prefix of all, nor is "a" of "a.b/c".
func TestJudgeBrokenPackages(t *testing.T) {
	file := parse(t, `".Root" = { ir = 1, iters = 10 }`, `"a.A" = { ir = 1, iters = 10 }`, `"a.b/c.C" = { ir = 1, iters = 10 }`)
	broken := BrokenPackages{{"", "example.com/m", errors.New("does not compile")}, {"a", "a", errors.New("panics")}}
	got := tellAll(Judge(nil, file, here, Options{Broken: broken}))
	want := ".Root failed: not counted: package example.com/m failed\na failed: panics\na.A failed: not counted: package a failed\n" +
		"a.b/c.C missing\nexample.com/m failed: does not compile"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// An empty file has no platform that could differ.
func TestJudgeWithoutPins(t *testing.T) {
	file, err := budget.Parse("budgets.toml", budget.Template())
	if err != nil {
		t.Fatal(err)
	}
	if got := tellAll(Judge([]count.Count{settled("x", 1, 1)}, file, here, Options{})); got != "x unpinned" {
		t.Errorf("got %s, want x unpinned", got)
	}
}

func TestDelta(t *testing.T) {
	v := Judge([]count.Count{settled("x", 10, 10100)}, parse(t, `x = { ir = 1000, iters = 10 }`), here, Options{})[0]
	if delta, ok := v.Delta(); !ok || delta != 100 {
		t.Errorf("delta is %d, %v, want 100", delta, ok)
	}
	if text, ok := v.DeltaPerOperation(); !ok || text != "10" {
		t.Errorf("delta per operation is %s, %v, want 10", text, ok)
	}
	v = Judge([]count.Count{settled("x", 10, 9999)}, parse(t, `x = { ir = 1000, iters = 10 }`), here, Options{})[0]
	if text, ok := v.DeltaPerOperation(); !ok || text != "-0.1" {
		t.Errorf("delta per operation is %s, %v, want -0.1", text, ok)
	}
	v = Judge([]count.Count{settled("x", 20, 10100)}, parse(t, `x = { ir = 1000, iters = 10 }`), here, Options{})[0]
	if _, ok := v.Delta(); ok {
		t.Error("a delta between different numbers of operations")
	}
}

func TestStatus(t *testing.T) {
	tests := []struct {
		kinds          []Kind
		lax, strict    int
		text, laxError string
	}{
		{nil, 0, 0, "", ""},
		{[]Kind{Within, Within}, 0, 0, "", ""},
		{[]Kind{Within, NotComparable}, 0, 4, "of 2 benches: 1 not comparable", ""},
		{[]Kind{NotComparable, Regressed}, 3, 3, "of 2 benches: 1 regressed, 1 not comparable", "of 2 benches: 1 regressed, 1 not comparable"},
		{[]Kind{Improved}, 3, 3, "of 1 bench: 1 improved", "of 1 bench: 1 improved"},
		{[]Kind{Unpinned}, 3, 3, "of 1 bench: 1 unpinned", "of 1 bench: 1 unpinned"},
		{[]Kind{Missing}, 3, 3, "of 1 bench: 1 missing", "of 1 bench: 1 missing"},
		{[]Kind{Failed, Regressed, NotComparable}, 1, 1, "of 3 benches: 1 regressed, 1 not comparable, 1 failed", "of 3 benches: 1 regressed, 1 not comparable, 1 failed"},
	}
	for _, test := range tests {
		var verdicts []Verdict
		for _, kind := range test.kinds {
			verdicts = append(verdicts, Verdict{Kind: kind})
		}
		check := func(strict bool, status int, text string) {
			if got := Status(verdicts, strict); got != status {
				t.Errorf("%v strict=%v: status %d, want %d", test.kinds, strict, got, status)
			}
			err := Conclude(verdicts, strict)
			exit, ok := err.(interface{ ExitStatus() int })
			switch {
			case status == 0 && err != nil:
				t.Errorf("%v strict=%v: %v, want nil", test.kinds, strict, err)
			case status != 0 && (!ok || exit.ExitStatus() != status || err.Error() != text):
				t.Errorf("%v strict=%v: %v, want status %d, %q", test.kinds, strict, err, status, text)
			}
		}
		check(false, test.lax, test.laxError)
		check(true, test.strict, test.text)
	}
}

func TestConcludeFailures(t *testing.T) {
	if err := ConcludeFailures(3, 0, "not pinned"); err != nil {
		t.Errorf("got %v without a failure", err)
	}
	for _, test := range []struct {
		all, failed int
		want        string
	}{{3, 2, "of 3 benches: 2 not pinned"}, {1, 1, "of 1 bench: 1 not pinned"}} {
		exit, ok := ConcludeFailures(test.all, test.failed, "not pinned").(*ExitError)
		if !ok || exit.Status != StatusFailed || exit.Text != test.want {
			t.Errorf("got %+v, want status %d, %q", exit, StatusFailed, test.want)
		}
	}
}

func TestCheckPin(t *testing.T) {
	shaky := count.Count{Bench: "x", Iters: 1, Total: 1000, Runs: []int64{1000, 1010, 990}}
	tests := []struct {
		count count.Count
		band  budget.Band
		want  string
	}{
		{settled("x", 1, 1000), "0%", ""},
		{shaky, "1%", ""},
		{shaky, "0.9%", "x: not pinned: runs disagree: 990 to 1010 instructions, and the band of 0.9% around 1000 is 991 to 1009"},
		{count.Count{Bench: "x", Err: errors.New("timed out")}, "2%", "x: not pinned: timed out"},
	}
	for _, test := range tests {
		got := ""
		if err := CheckPin(&test.count, test.band); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
