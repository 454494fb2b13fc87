package tasks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/explain"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/git"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Compare counts the benchmarks at an older revision and now, and shows the differences; it needs no pins.
func Compare(ctx context.Context,
	base *string, // the older revision; default: the merge base with the main branch
	band *string, // fail where a bench costs more than this above base, as 2%
	bench *string, // only the benches whose name in budgets.toml matches this regular expression
	packages *string, // only these packages, as ./wire,./internal/...
	jobs *int, // how many benches are counted at once; default: one a processor
	tags *string, // build tags; default: as pinned
	env *string, // NAME=VALUE;… for builds and benches; default: as pinned
	Go *string, // toolchain of both builds, as go1.26.8; default: what each go.mod says
	timeout *time.Duration, // longest time of one run of a bench; default 2m
	memory *int, // most memory of one run of a bench, in MiB; default 4096
) error {
	f := flags{
		bench: bench, packages: packages, tags: tags, env: env, toolchain: Go,
		jobs: jobs, timeout: timeout, memory: memory,
	}
	selection, err := f.read()
	limit := budget.Band("0%")
	if band != nil {
		var bandErr error
		if limit, bandErr = budget.ParseBand(*band); bandErr != nil {
			err = errors.Join(err, fmt.Errorf("-band=%s: %w", *band, bandErr))
		}
	}
	if err != nil {
		return err
	}
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	c := newConsole()
	steps, finish := c.follow()
	comparison, err := compareRevisions(ctx, selection, base, limit, steps)
	finish()
	if err != nil {
		return err
	}
	if err := report.Compare(c.out, comparison, c.options()); err != nil {
		return err
	}
	return concludeComparison(comparison.Verdicts, band != nil)
}

// compareRevisions counts both revisions, and judges head with base in the place of
// the pins.
func compareRevisions(ctx context.Context, selection selection, name *string, band budget.Band, steps chan<- report.Step) (result report.Comparison, err error) {
	head, err := prepare(ctx, selection, steps)
	if err != nil {
		return result, err
	}
	head.counter.Callgrind.Options = []string{byInstruction}
	r, err := git.Open(ctx, head.counter.Root)
	if err != nil {
		return result, err
	}
	var rev git.Revision
	if name != nil {
		rev, err = r.Resolve(ctx, *name)
	} else {
		rev, err = r.MergeBase(ctx)
	}
	if err != nil {
		return result, err
	}
	b, err := openBase(ctx, head, r, rev, steps)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, b.close(ctx)) }()
	// The pins' iterations, where there are pins: then base is often settled at once.
	before := b.count(ctx, head.pinned, steps)
	after := head.count(ctx, expectation(before), steps)
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	file, failures, err := pinsOf(before, head.here, band)
	if err != nil {
		return result, err
	}
	result = report.Comparison{BaseName: rev.Name(), Notes: b.notes}
	verdicts := gate.Judge(after, file, head.here, gate.Options{Broken: head.broken})
	result.Verdicts = failAtBase(verdicts, failures, b.broken)
	result.Explained = explainMoved(b, head, before, result.Verdicts)
	return result, nil
}

// pinsOf makes pins of what base costs. A bench that could not be counted there has
// none; failures says why, by the bench.
func pinsOf(before []count.Count, here budget.Platform, band budget.Band) (file *budget.File, failures map[string]error, err error) {
	empty, err := budget.Parse("base", budget.Template())
	if err != nil {
		return nil, nil, err
	}
	failures = make(map[string]error)
	change := budget.Change{Pinned: &here}
	for _, c := range before {
		pin, err := budget.NewPin(c.Bench, c.Iters, c.Total, c.Allocs, c.Bytes)
		if c.Err != nil {
			err = c.Err
		}
		if err != nil {
			failures[c.Bench] = fmt.Errorf("base: %w", err)
			continue
		}
		pin.Band = band
		change.Set = append(change.Set, pin)
	}
	if len(change.Set) == 0 {
		return empty, failures, nil
	}
	text, err := empty.Edit(change)
	if err != nil {
		return nil, failures, err
	}
	file, err = budget.Parse("base", text)
	return file, failures, err
}

// failAtBase makes failed, beside what is failed now, all that could not be counted at
// base: it must not pass for new. failures are by the bench.
func failAtBase(verdicts []gate.Verdict, failures map[string]error, broken gate.BrokenPackages) []gate.Verdict {
	failures = maps.Clone(failures)
	for _, pkg := range broken {
		failures[pkg.Name] = fmt.Errorf("base: %w", pkg.Err)
	}
	for i := range verdicts {
		v := &verdicts[i]
		err, failed := failures[v.Bench]
		delete(failures, v.Bench)
		if pkg, in := broken.Of(v.Bench); !failed && in && v.Kind == gate.Unpinned {
			err, failed = fmt.Errorf("base: package %s failed", pkg.Name), true
		}
		if failed {
			v.Kind, v.Err = gate.Failed, errors.Join(v.Err, err)
		}
	}
	for bench, err := range failures {
		verdicts = append(verdicts, gate.Verdict{Bench: bench, Kind: gate.Failed, Err: err})
	}
	slices.SortStableFunc(verdicts, func(a, b gate.Verdict) int { return strings.Compare(a.Bench, b.Bench) })
	return verdicts
}

// explainMoved explains the benches that left the band.
func explainMoved(b *base, head *suite, before []count.Count, verdicts []gate.Verdict) map[string]report.Explanation {
	explained := make(map[string]report.Explanation)
	for i := range verdicts {
		v := &verdicts[i]
		if v.Kind != gate.Regressed && v.Kind != gate.Improved {
			continue
		}
		was, _ := find(before, v.Bench)
		e := report.Explanation{Bench: v.Bench, Base: was.Total, Head: v.Count.Total, Iters: was.Iters}
		base, err := b.profileOf(was)
		if err == nil {
			var now explain.Profile
			now, err = head.profileOf(*v.Count)
			e.Moves = explain.Compare(base, now)
		}
		e.Err = err
		explained[v.Bench] = e
	}
	return explained
}

// concludeComparison fails where a bench could not be counted on a side, and, where that is
// asked for, where one costs more than the band allows. What costs less, or exists on
// one side only, is no failure: there is nothing to bring up to date.
func concludeComparison(verdicts []gate.Verdict, gated bool) error {
	tally := gate.Tally(verdicts)
	if tally[gate.Failed] > 0 || !gated {
		return gate.ConcludeFailures(len(verdicts), tally[gate.Failed], "could not be compared")
	}
	return gate.ConcludeOutside(len(verdicts), tally[gate.Regressed], "regressed")
}
