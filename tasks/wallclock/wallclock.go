// Package wallclock compares two sets of ordinary benchmark results, timed by the
// clock, with benchstat's own statistics. It is pure: texts in the Go benchmark format
// (golang.org/design/14313-benchmark-format) in, differences out.
package wallclock

import (
	"bytes"
	"fmt"
	"slices"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// A Set is the results of one run of benchmarks.
type Set struct {
	// Name is what the user calls it.
	Name string
	// Config holds the lines "key: value" that hold for all results: goos, cpu, go, …
	Config map[string]string
	// Problems are lines that start like a result and are none, as where a benchmark
	// prints into its own line.
	Problems []string

	benches []string // in the order of the file: "example.com/p.BenchmarkX-8"
	values  map[key][]float64
}

type key struct{ bench, unit string }

// Read reads results.
func Read(name string, text []byte) (*Set, error) {
	set := &Set{Name: name, Config: make(map[string]string), values: make(map[key][]float64)}
	reader := benchfmt.NewReader(bytes.NewReader(text), name)
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			set.Problems = append(set.Problems, record.Error())
		case *benchfmt.Result:
			set.add(record)
		}
	}
	if err := reader.Err(); err != nil {
		return nil, err
	}
	if len(set.benches) == 0 {
		return nil, fmt.Errorf("%s: holds no result of a benchmark", name)
	}
	return set, nil
}

func (s *Set) add(r *benchfmt.Result) {
	for _, c := range r.Config {
		if c.Key != "pkg" {
			s.Config[c.Key] = string(c.Value)
		}
	}
	bench := r.GetConfig("pkg") + ".Benchmark" + r.Name.String()
	if !slices.Contains(s.benches, bench) {
		s.benches = append(s.benches, bench)
	}
	for _, value := range r.Values {
		at := key{bench, value.Unit}
		s.values[at] = append(s.values[at], value.Value)
	}
}

// A Difference is how one measure of one benchmark differs.
type Difference struct {
	Bench string
	// Unit is "sec/op", "B/op" or "allocs/op".
	Unit string
	// Before and After are the medians, in the unit.
	Before, After float64
	// P is the probability of such samples where nothing differs, by the Mann-Whitney
	// U-test; the difference is told from noise where Significant is set.
	P           float64
	Significant bool
	// Samples holds how many values there are on each side.
	Samples  [2]int
	Warnings []string
}

// A Comparison is how two sets differ.
type Comparison struct {
	Before, After string
	Differences   []Difference
	// OnlyBefore and OnlyAfter are the benchmarks of one set alone.
	OnlyBefore, OnlyAfter []string
	// Config says which settings differ: "cpu", before, after.
	Config [][3]string
	// Problems are those of both sets.
	Problems []string
}

// Compare compares two sets, benchmark by benchmark, in the order of before.
func Compare(before, after *Set) Comparison {
	c := Comparison{
		Before: before.Name, After: after.Name,
		Problems: slices.Concat(before.Problems, after.Problems),
	}
	for _, bench := range before.benches {
		if !slices.Contains(after.benches, bench) {
			c.OnlyBefore = append(c.OnlyBefore, bench)
			continue
		}
		for _, unit := range []string{"sec/op", "B/op", "allocs/op"} {
			at := key{bench, unit}
			if before.values[at] != nil && after.values[at] != nil {
				c.Differences = append(c.Differences, compare(at, before.values[at], after.values[at]))
			}
		}
	}
	for _, bench := range after.benches {
		if !slices.Contains(before.benches, bench) {
			c.OnlyAfter = append(c.OnlyAfter, bench)
		}
	}
	for _, name := range []string{"goos", "goarch", "cpu", "processors", "kernel", "go"} {
		if before.Config[name] != after.Config[name] {
			c.Config = append(c.Config, [3]string{name, before.Config[name], after.Config[name]})
		}
	}
	return c
}

// confidence is that of the medians' intervals, which benchstat uses too.
const confidence = 0.95

func compare(at key, before, after []float64) Difference {
	thresholds := benchmath.DefaultThresholds
	b := benchmath.NewSample(slices.Clone(before), &thresholds)
	a := benchmath.NewSample(slices.Clone(after), &thresholds)
	// No distribution is assumed: times have none that is known.
	assumption := benchmath.AssumeNothing
	result := assumption.Compare(b, a)
	d := Difference{
		Bench: at.bench, Unit: at.unit,
		Before: assumption.Summary(b, confidence).Center, After: assumption.Summary(a, confidence).Center,
		P: result.P, Samples: [2]int{result.N1, result.N2},
	}
	// Values that are all the same on each side need no statistics.
	d.Significant = d.Before != d.After && (result.P < result.Alpha || constant(before) && constant(after))
	if d.Before != d.After {
		for _, warning := range result.Warnings {
			d.Warnings = append(d.Warnings, warning.Error())
		}
	}
	return d
}

func constant(values []float64) bool { return slices.Min(values) == slices.Max(values) }
