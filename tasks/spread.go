package tasks

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Spread counts each bench many times, under load and changed surroundings, and shows how far the counts are apart.
func Spread(ctx context.Context,
	runs *int, // how often each bench is counted; default 15
	bench *string, // only the benches whose name in budgets.toml matches this regular expression
	packages *string, // only these packages, as ./wire,./internal/...
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
	times := 15
	if err := positive("runs", runs, &times); err != nil {
		return err
	}
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	c := newConsole()
	steps, finish := c.follow()
	s, err := prepare(ctx, selection, steps)
	if err != nil {
		finish()
		return err
	}
	idle := load()
	rows := s.spread(ctx, times, steps)
	idle()
	finish()
	if err := report.Spreads(c.out, rows); err != nil {
		return err
	}
	return concludeSpread(rows)
}

// load keeps every processor busy until idle is called.
func load() (idle func()) {
	var stop atomic.Bool
	var wait sync.WaitGroup
	for range runtime.NumCPU() {
		wait.Go(func() {
			for !stop.Load() {
			}
		})
	}
	return func() {
		stop.Store(true)
		wait.Wait()
	}
}

// spread returns a row for each bench, and one for each broken package.
func (s *suite) spread(ctx context.Context, runs int, steps chan<- report.Step) []report.SpreadRow {
	rows := make([]report.SpreadRow, len(s.benches))
	var group errgroup.Group
	group.SetLimit(s.selection.jobs)
	for i, bench := range s.benches {
		group.Go(func() error {
			if ctx.Err() == nil {
				steps <- report.Step{What: "count " + bench.Key, Done: i, Total: len(s.benches)}
				rows[i].Spread = s.counter.Spread(ctx, bench, s.pinned(bench.Key).Iters, runs)
			}
			if ctx.Err() != nil && (rows[i].Err != nil || rows[i].Bench == "") {
				rows[i].Spread = count.Spread{Bench: bench.Key, Err: errInterrupted}
			}
			rows[i].Band = s.file.Band
			if pin, ok := s.file.Pin(bench.Key); ok {
				rows[i].Band = s.file.BandOf(pin)
			}
			return nil
		})
	}
	group.Wait()
	for _, pkg := range s.broken {
		rows = append(rows, report.SpreadRow{Spread: count.Spread{Bench: pkg.Name, Err: pkg.Err}})
	}
	return rows
}

// concludeSpread fails where a bench could not be counted, and where the runs of one
// are further apart than its band.
func concludeSpread(rows []report.SpreadRow) error {
	var failed, apart int
	for _, row := range rows {
		switch {
		case row.Err != nil:
			failed++
		case !row.Holds():
			apart++
		}
	}
	if failed > 0 {
		return gate.ConcludeFailures(len(rows), failed, "could not be counted")
	}
	return gate.ConcludeOutside(len(rows), apart, "with runs further apart than the band")
}
