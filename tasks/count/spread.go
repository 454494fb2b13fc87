package count

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/perfpin/perfpin/tasks/gobench"
)

// A Spread is what raw single runs of one benchmark counted.
type Spread struct {
	Bench string
	Iters int64
	// Totals are those of the runs, in order.
	Totals []int64
	// Settled is what Settle would have made of these runs without an Expectation, and
	// IsSettled whether they would have settled it.
	Settled   int64
	IsSettled bool
	// Moved says, where the totals differ, which functions differ between the run of
	// the least total and that of the most, the largest difference first.
	Moved []Difference
	// LeftOut names the kinds of perturbation that cannot reach what is counted.
	LeftOut []string
	Err     error
}

// A Difference is how much more one function cost in one run than in another.
type Difference struct {
	Function string
	Ir       int64
}

// Distinct returns the number of different totals.
func (s Spread) Distinct() int {
	return len(slices.Compact(slices.Sorted(slices.Values(s.Totals))))
}

// Spread runs the benchmark runs times, each under the next of the perturbations that
// can reach what is counted. iters is 0 where the number of operations is to be chosen.
func (c Counter) Spread(ctx context.Context, bench gobench.Bench, iters int64, runs int) Spread {
	s := Spread{Bench: bench.Key, Err: bench.Err}
	if s.Err != nil {
		return s
	}
	if iters == 0 {
		first, err := c.Once(ctx, bench, 1)
		if err != nil {
			s.Err = err
			return s
		}
		iters = chooseIters(first)
	}
	s.Iters = iters
	var signatures []signature
	var least, most Run
	perturbations, left := perturbationsOf(bench)
	s.LeftOut = left
	for i := range runs {
		c.Perturbation = perturbations[i%len(perturbations)]
		run, err := c.Once(ctx, bench, iters)
		if err != nil {
			s.Err = err
			return s
		}
		s.Totals, signatures = append(s.Totals, run.Total), append(signatures, run.signature())
		if i == 0 || run.Total < least.Total {
			least = run
		}
		if i == 0 || run.Total > most.Total {
			most = run
		}
	}
	chosen, settled := settle(signatures, Expectation{})
	s.Settled, s.IsSettled = s.Totals[chosen], settled
	if least.Total != most.Total {
		s.Moved = compareRuns(least, most)
	}
	return s
}

func compareRuns(before, after Run) []Difference {
	self := make(map[string]int64)
	for _, fn := range Counted(after.Profile.Profile) {
		self[fn.Name] += fn.Self
	}
	for _, fn := range Counted(before.Profile.Profile) {
		self[fn.Name] -= fn.Self
	}
	var moved []Difference
	for name, ir := range self {
		if ir != 0 {
			moved = append(moved, Difference{name, ir})
		}
	}
	slices.SortFunc(moved, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(abs(b.Ir), abs(a.Ir)), strings.Compare(a.Function, b.Function))
	})
	return moved
}

func abs(n int64) int64 { return max(n, -n) }
