package wallclock

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// A Timing is what hyperfine says of one command, in seconds.
type Timing struct {
	Command string    `json:"command"`
	Mean    float64   `json:"mean"`
	Stddev  *float64  `json:"stddev"` // null for a single run
	Median  float64   `json:"median"`
	User    float64   `json:"user"`   // mean processor time in user mode
	System  float64   `json:"system"` // the same in the kernel
	Min     float64   `json:"min"`
	Max     float64   `json:"max"`
	Times   []float64 `json:"times"` // each run
}

// ReadHyperfine reads what hyperfine --export-json writes (scripts/README.md and
// src/benchmark/benchmark_result.rs of hyperfine). Members that other versions have
// are passed over. The name stands in errors.
func ReadHyperfine(name string, data []byte) ([]Timing, error) {
	var file struct {
		Results []Timing `json:"results"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s: is no export of hyperfine: %w", name, err)
	}
	if len(file.Results) == 0 {
		return nil, fmt.Errorf("%s: is no export of hyperfine: has no results", name)
	}
	for i, t := range file.Results {
		if len(t.Times) == 0 {
			return nil, fmt.Errorf("%s: result %d, %q: has no times", name, i+1, t.Command)
		}
		if t.Min < 0 || t.Min > t.Median || t.Median > t.Max {
			return nil, fmt.Errorf("%s: result %d, %q: least %v s, median %v s, most %v s: want them in this order",
				name, i+1, t.Command, t.Min, t.Median, t.Max)
		}
	}
	return file.Results, nil
}

// A Summary is the time of one Go benchmark in one set, in seconds per operation.
type Summary struct {
	Bench                     string
	Runs                      int
	Median, Least, Most, Mean float64
}

// Summaries returns the times of all benchmarks in the order of the file.
func (s *Set) Summaries() []Summary {
	thresholds := benchmath.DefaultThresholds
	var all []Summary
	for _, bench := range s.benches {
		values := s.values[key{bench, "sec/op"}]
		if len(values) == 0 {
			continue
		}
		middle := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &thresholds), confidence).Center
		sum := Summary{Bench: bench, Runs: len(values), Median: middle, Least: math.Inf(1), Most: math.Inf(-1)}
		for _, v := range values {
			sum.Least, sum.Most = min(sum.Least, v), max(sum.Most, v)
			sum.Mean += v / float64(len(values))
		}
		all = append(all, sum)
	}
	return all
}
