package tasks

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/report"
)

// joinShards joins shards that are in order: what run they are of, and all of its
// counts. Shards that are no whole run together are an error that tells all that is
// wrong with them.
func joinShards(shards []shardResults) (report.Run, []count.Count, error) {
	first := shards[0]
	var errs []error
	for _, s := range shards[1:] {
		errs = append(errs, compareShards(first, s)...)
	}
	if errs == nil {
		errs = append(errs, findGaps(shards)...)
	}
	if errs == nil {
		errs = append(errs, findStrays(shards)...)
	}
	if errs != nil {
		return report.Run{}, nil, fmt.Errorf("%w\nshards read: %d; not joined: %d", errors.Join(errs...), len(shards), len(errs))
	}
	run := first.Run
	run.Shard, run.Listed = "", nil
	run.Machine = joinMachines(shards)
	var counts []count.Count
	for _, s := range shards {
		if s.Date.After(run.Date) {
			run.Date = s.Date
		}
		for _, bench := range s.Benches {
			if c, ok := bench.Count(); ok {
				counts = append(counts, c)
			}
		}
	}
	return run, counts, nil
}

// joinMachines returns the machine that all shards were counted on, or one that names
// them all: counts do not depend on it.
func joinMachines(shards []shardResults) machine.Machine {
	var names []string
	for _, s := range shards {
		if name := s.Machine.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return shards[0].Machine
	}
	return machine.Machine{CPU: strings.Join(names, " and ")}
}

// compareShards tells in what two shards are not of one run.
func compareShards(a, b shardResults) []error {
	var errs []error
	differ := func(what, inA, inB string) {
		if inA != inB {
			errs = append(errs, fmt.Errorf("%s: %s is %q, and %q in %s", b.name, what, inB, inA, a.name))
		}
	}
	differ("the number of shards", fmt.Sprint(a.which.of), fmt.Sprint(b.which.of))
	differ("module", a.Module, b.Module)
	differ("commit", a.Commit, b.Commit)
	differ("the tree", tellTree(a.Dirty), tellTree(b.Dirty))
	differ("what was asked for", tellAsked(a.Filtered), tellAsked(b.Filtered))
	for _, d := range budget.Platform(a.Platform).Diff(budget.Platform(b.Platform)) {
		differ(d.Field, d.Pinned, d.Here)
	}
	// Between runs it is told and not compared; one run has one.
	differ("valgrind", a.Platform.Valgrind, b.Platform.Valgrind)
	if !slices.Equal(a.Listed, b.Listed) {
		errs = append(errs, fmt.Errorf("%s: lists other benches than %s: %s", b.name, a.name, tellDifference(a.Listed, b.Listed)))
	}
	return errs
}

func tellTree(dirty bool) string {
	if dirty {
		return "changed since its commit"
	}
	return "as committed"
}

func tellAsked(filtered bool) string {
	if filtered {
		return "some benches, by -bench or -packages"
	}
	return "all benches"
}

// tellDifference tells what only one of two lists has, with a sign.
func tellDifference(a, b []string) string {
	var parts []string
	for _, name := range a {
		if !slices.Contains(b, name) {
			parts = append(parts, "-"+name)
		}
	}
	for _, name := range b {
		if !slices.Contains(a, name) {
			parts = append(parts, "+"+name)
		}
	}
	return strings.Join(parts, " ")
}

// findGaps tells which shards are missing or there twice.
func findGaps(shards []shardResults) []error {
	var errs []error
	of := shards[0].which.of
	names := make(map[int]string)
	for _, s := range shards {
		if name, twice := names[s.which.number]; twice {
			errs = append(errs, fmt.Errorf("%s: is shard %v, and so is %s", s.name, s.which, name))
			continue
		}
		names[s.which.number] = s.name
	}
	for number := 1; number <= of; number++ {
		if _, there := names[number]; !there {
			missing := shard{number, of}
			errs = append(errs, fmt.Errorf("shard %v: missing\nhint: go tool mage perf -shard=%v", missing, missing))
		}
	}
	return errs
}

// findStrays tells which benches are in no shard, in two, or in none's list.
func findStrays(shards []shardResults) []error {
	var errs []error
	in := make(map[string]string)
	listed := make(map[string]bool)
	for _, name := range shards[0].Listed {
		listed[name] = true
	}
	for _, s := range shards {
		for _, bench := range s.Benches {
			if other, twice := in[bench.Bench]; twice {
				errs = append(errs, fmt.Errorf("%s: bench %q: is in %s too", s.name, bench.Bench, other))
			} else if !listed[bench.Bench] {
				errs = append(errs, fmt.Errorf("%s: bench %q: is not in the list of all benches", s.name, bench.Bench))
			}
			in[bench.Bench] = s.name
		}
	}
	for _, name := range shards[0].Listed {
		if in[name] == "" {
			errs = append(errs, fmt.Errorf("bench %q: is in no shard", name))
		}
	}
	return errs
}
