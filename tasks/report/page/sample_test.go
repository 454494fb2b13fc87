package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/explain"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/history"
	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/report"
)

// hostileName is what a page must not read as its own markup, nor Markdown.
const hostileName = "a.B/<script>alert(1)</script><img src=x onerror=alert(2)>|`x`\"'&amp;_*[l](http://example.com)"

func written() time.Time { return time.Date(2026, 12, 1, 10, 30, 0, 0, time.UTC) }

func origin(age time.Duration) Origin {
	return Origin{
		Measured: new(written().Add(-age)), Commit: "8abfbad0c0ffee0c0ffee0c0ffee0c0ffee0c0ff",
		Machine: &machine.Machine{CPU: "Fast(R) CPU @ 2.00GHz", Processors: 2, Kernel: "Linux 6.1.0"},
	}
}

// sample is a report of a number of benches, each with so many runs in its history.
func sample(t testing.TB, benches, runs int) Report {
	t.Helper()
	counts := &Counts{
		Platform: report.Platform{Go: "go1.26.8", Target: "linux/amd64/v1", Libc: "static", CPU: "avx2", Seed: "fixed", Valgrind: "3.27.1"},
		Tally:    map[gate.Kind]int{},
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range benches {
		b := sampleBench(t, random, i, runs)
		counts.Tally[b.Verdict]++
		counts.Benches = append(counts.Benches, b)
	}
	spread := report.ThroughputSpread{Median: 2300, Least: 2200, Most: 2401.5}
	return Report{
		Schema: Schema, Module: "example.com/<m>", Written: written(), Commit: "8abfbad0c0ffee0c0ffee0c0ffee0c0ffee0c0ff", Dirty: true,
		Counts: Section[Counts]{Origin: origin(5 * time.Minute), Notes: []string{}, Data: counts},
		Clock: Section[Clock]{Origin: origin(26 * time.Hour), Notes: []string{}, Data: &Clock{Timer: "hyperfine 1.15.0", Times: []Time{
			{Name: "server -help && <true>", Runs: 31, Median: 0.0123, Least: 0.011, Most: 0.0205, Mean: 0.013, Stddev: new(0.001), User: new(0.007), System: new(0.002), Prepare: "rm -f x"},
			{Name: "m.BenchmarkX-2", Runs: 5, Median: 2.5e-8, Least: 2.4e-8, Most: 2.6e-8, Mean: 2.5e-8},
		}}},
		Throughput: Section[Throughput]{Origin: origin(50 * time.Hour), Notes: []string{}, Data: &Throughput{Conditions: []string{"50 connections"}, Requests: []ThroughputRequest{{
			Request: "1 KiB", Servers: []ThroughputServer{
				{Server: "perfpin", Saturation: "saturated", PerCPUSecond: spread, PerSecond: spread},
				{Server: "nginx", Saturation: "saturated", PerCPUSecond: spread, PerSecond: spread},
			}, Ratios: []report.ThroughputRatio{{Against: "nginx", Spread: &report.ThroughputSpread{Median: 1.0426, Least: 1, Most: 1.1}}},
		}}}},
		Coverage: Section[Coverage]{Origin: origin(time.Hour), Notes: []string{}, Data: &Coverage{
			Total: Covered{Statements: 1500, Unit: 900, EndToEnd: 700, Both: 400},
			Packages: []Covered{
				{Package: "cmd/app", Statements: 500, Unit: 0, EndToEnd: 300, Both: 0},
				{Package: "wire", Statements: 1000, Unit: 900, EndToEnd: 400, Both: 400},
			},
		}},
		Sizes: Section[Sizes]{Origin: origin(0), Notes: []string{}, Data: &Sizes{Go: "go1.26.8", Target: "linux/amd64", Programs: []Size{
			{Package: "cmd/app", Bytes: 9_000_000, Stripped: 6_100_000, Before: new(int64(6_099_000))},
		}}},
	}
}

func sampleBench(t testing.TB, random *rand.Rand, at, runs int) Bench {
	t.Helper()
	name := fmt.Sprintf("benches/package_%d.Function/of_a_case_%d", at/10, at)
	verdict, iters := gate.Within, int64(100)
	pinned := int64(1_000_000 + random.IntN(100_000_000))
	total := pinned + pinned/1000
	switch {
	case at == 0:
		name = hostileName
	case at == 3:
		verdict, total = gate.Regressed, pinned+pinned/2
	case at == 5:
		verdict, total = gate.Improved, pinned-pinned/10
	}
	number := func(total int64) *json.Number { return new(json.Number(budget.PerOperation(total, iters))) }
	b := Bench{Bench: report.Bench{
		Bench: name, Verdict: verdict, Iters: &iters, Total: &total, Ir: number(total), Allocs: number(1250), Bytes: number(123456),
		Pin:  &report.Pin{Ir: *number(pinned), Iters: iters, Total: pinned, Line: at + 10},
		Band: "2%", Delta: new(total - pinned), Runs: []int64{total}, Distinct: 1, Settled: true,
	}, Least: new(pinned - pinned/50), Most: new(pinned + pinned/50)}
	if at == 3 {
		b.Moved = []string{"instructions: <more> than pinned"}
	}
	for i := range runs {
		// Each run differs: the largest chart that there is.
		b.History = append(b.History, history.Point{
			Date: written().Add(time.Duration(i-runs) * 3 * time.Hour), Commit: fmt.Sprintf("%040x", random.Uint64()),
			Iters: iters, Total: pinned + random.Int64N(pinned/25) - pinned/50, Pin: i%20 == 0,
		})
	}
	b.Flame = "../perf/pprof/" + strconv.Itoa(at) + ".svg"
	b.FlameSVG = sampleFlame(t, random, name)
	return b
}

// sampleFlame is a flame graph of some 200 boxes.
func sampleFlame(t testing.TB, random *rand.Rand, bench string) []byte {
	t.Helper()
	p := explain.Profile{Bench: bench, Iters: 100}
	for range 60 {
		var stack []explain.Location
		for range 3 + random.IntN(8) {
			stack = append(stack, explain.Location{{Function: fmt.Sprintf("example.com/m/package.(*Type).Method%d", random.IntN(40))}})
		}
		p.Costs = append(p.Costs, explain.Cost{Stack: stack, Ir: int64(1000 + random.IntN(100_000))})
	}
	var out bytes.Buffer
	if err := explain.WriteFlame(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
