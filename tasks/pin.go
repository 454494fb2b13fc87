package tasks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Pin counts the benchmarks and writes what they cost to budgets.toml.
func Pin(ctx context.Context,
	bench *string, // only the benches whose name in budgets.toml matches this regular expression
	packages *string, // only these packages, as ./wire,./internal/...
	band *string, // the band of these pins, as 0.5%; 0% means exactly the same
	jobs *int, // how many benches are counted at once; default: one a processor
	tags *string, // build tags; default: as pinned
	env *string, // NAME=VALUE;… for builds and benches; default: as pinned
	Go *string, // toolchain of the measured build, as go1.26.8
	timeout *time.Duration, // longest time of one run of a bench; default 2m
	memory *int, // most memory of one run of a bench, in MiB; default 4096
) error {
	f := flags{
		bench: bench, packages: packages, tags: tags, env: env, toolchain: Go,
		jobs: jobs, timeout: timeout, memory: memory,
	}
	selection, err := f.read()
	if err != nil {
		return err
	}
	var newBand budget.Band
	if band != nil {
		if newBand, err = budget.ParseBand(*band); err != nil {
			return fmt.Errorf("-band=%s: %w", *band, err)
		}
	}
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	return pin(ctx, selection, newBand)
}

func pin(ctx context.Context, selection selection, band budget.Band) error {
	c := newConsole()
	steps, finish := c.follow()
	s, err := prepare(ctx, selection, steps)
	if err != nil {
		finish()
		return err
	}
	if err := s.refuseMixture(); err != nil {
		finish()
		return err
	}
	s.counter.Callgrind.Options = []string{byInstruction}
	counts := s.count(ctx, s.pinned, steps)
	finish()
	if ctx.Err() != nil {
		return fmt.Errorf("%s: not changed: %w", budgetsFile, context.Cause(ctx))
	}
	change, failures := s.change(counts, band)
	changes := describeChange(s.file, change)
	if err := s.save(change); err != nil {
		return err
	}
	for _, err := range s.keepProfiles(counts, change) {
		c.say("%v", err)
	}
	if err := report.Pins(c.out, changes); err != nil {
		return err
	}
	for _, err := range failures {
		c.say("%v", err)
	}
	return gate.ConcludeFailures(len(counts)+len(s.broken), len(failures), "not pinned")
}

// refuseMixture refuses to put pins of two platforms into one file: a part of the
// pins can be taken only on the platform of the others.
func (s *suite) refuseMixture() error {
	if !s.selection.filtered() || len(s.file.Pins) == 0 {
		return nil
	}
	var errs []error
	for _, d := range s.file.Pinned.Diff(s.here) {
		errs = append(errs, fmt.Errorf("%s: [pinned]: %s: pinned %q, here %q", budgetsFile, d.Field, d.Pinned, d.Here))
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("%w\nhint: go tool mage pin", errors.Join(errs...))
}

// change returns what the counts change in the file, and why some do not.
func (s *suite) change(counts []count.Count, band budget.Band) (budget.Change, []error) {
	change := budget.Change{Pinned: &s.here}
	var failures []error
	counted := make(map[string]bool)
	for _, c := range counts {
		counted[c.Bench] = true
		pin, err := s.newPin(c, band)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		change.Set = append(change.Set, pin)
	}
	failures = append(failures, s.brokenErrors()...)
	if s.selection.filtered() {
		return change, failures
	}
	for _, pin := range s.file.Pins {
		// A bench may still be in a package that could not be listed.
		if _, broken := s.broken.Of(pin.Bench); !counted[pin.Bench] && !broken {
			change.Remove = append(change.Remove, pin.Bench)
		}
	}
	return change, failures
}

// newPin makes a pin of a count. Runs that disagree make none, unless the band
// covers them all.
func (s *suite) newPin(c count.Count, band budget.Band) (budget.Pin, error) {
	applied := band
	if old, ok := s.file.Pin(c.Bench); ok && applied == "" {
		applied = s.file.BandOf(old)
	} else if applied == "" {
		applied = s.file.Band
	}
	if err := gate.CheckPin(&c, applied); err != nil {
		return budget.Pin{}, err
	}
	pin, err := budget.NewPin(c.Bench, c.Iters, c.Total, c.Allocs, c.Bytes)
	pin.Band = band
	return pin, err
}

func describeChange(file *budget.File, change budget.Change) []report.PinChange {
	var changes []report.PinChange
	for i := range change.Set {
		old, _ := file.Pin(change.Set[i].Bench)
		changes = append(changes, report.PinChange{Bench: change.Set[i].Bench, Old: old, New: &change.Set[i]})
	}
	for _, bench := range change.Remove {
		old, _ := file.Pin(bench)
		changes = append(changes, report.PinChange{Bench: bench, Old: old})
	}
	return changes
}

// save writes the changed file, unless nothing would change in it.
func (s *suite) save(change budget.Change) error {
	if len(change.Set)+len(change.Remove) == 0 {
		return nil
	}
	text, err := s.file.Edit(change)
	if err != nil {
		return err
	}
	return s.file.Replace(filepath.Join(s.toolchain.Root, budgetsFile), text)
}
