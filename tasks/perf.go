package tasks

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"time"

	"github.com/perfpin/perfpin/tasks/atomicfile"
	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Perf counts the benchmarks' instructions and holds them to budgets.toml.
func Perf(ctx context.Context,
	bench *string, // only the benches whose name in budgets.toml matches this regular expression
	packages *string, // only these packages, as ./wire,./internal/...
	jobs *int, // how many benches are counted at once; default: one a processor
	strict *bool, // fail where the platform is not the pinned one
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
	return perf(ctx, f, strict != nil && *strict)
}

func perf(ctx context.Context, f flags, strict bool) error {
	selection, err := f.read()
	if err != nil {
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
	s.counter.Callgrind.Options = []string{byInstruction}
	counts := s.count(ctx, s.pinned, steps)
	finish()
	s.hidePaths(counts)
	verdicts := gate.Judge(counts, s.file, s.here, gate.Options{Filtered: selection.filtered(), Broken: s.broken})
	err = s.write(verdicts, s.run(ctx))
	for _, bench := range s.skipped {
		c.say("%s: skips itself", bench.Key)
	}
	if err := errors.Join(err, report.Terminal(c.out, verdicts, s.explainVerdicts(verdicts, c.options()))); err != nil {
		return err
	}
	return gate.Conclude(verdicts, strict)
}

// pinned returns what the pin of a bench says that it costs. On another platform
// it says only how many operations to count.
func (s *suite) pinned(key string) count.Expectation {
	pin, ok := s.file.Pin(key)
	if !ok {
		return count.Expectation{}
	}
	allocs, _ := pin.AllocsTotal()
	bytes, _ := pin.BytesTotal()
	return count.Expectation{Iters: pin.Iters, Total: pin.Total(), Allocs: allocs, Bytes: bytes}
}

// hidePaths takes the paths of this machine out of what is said of benches.
func (s *suite) hidePaths(counts []count.Count) {
	for i := range counts {
		counts[i].Err = withoutPaths(counts[i].Err, s.counter.Root)
	}
	for pkg, err := range s.broken {
		s.broken[pkg] = withoutPaths(err, s.counter.Root)
	}
}

// run describes the run, which is at its end.
func (s *suite) run(ctx context.Context) report.Run {
	commit, dirty := commitOf(ctx, s.counter.Root)
	return report.Run{
		Date: time.Now(), Commit: commit, Dirty: dirty, Filtered: s.selection.filtered(),
		Platform: report.Platform(s.here),
	}
}

// write writes results.json and results.txt.
func (s *suite) write(verdicts []gate.Verdict, run report.Run) error {
	var machine, people bytes.Buffer
	results := report.NewResults(verdicts, run)
	host := report.Host{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Module: s.toolchain.Module}
	return errors.Join(
		results.Write(&machine),
		report.BenchFormat(&people, verdicts, host),
		atomicfile.Write(filepath.Join(s.toolchain.Out, "results.json"), machine.Bytes()),
		atomicfile.Write(filepath.Join(s.toolchain.Out, "results.txt"), people.Bytes()),
	)
}
