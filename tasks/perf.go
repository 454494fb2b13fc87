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
	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Perf counts the benchmarks' instructions and holds them to budgets.toml.
func Perf(ctx context.Context,
	bench *string, // only the benches whose name in budgets.toml matches this regular expression
	packages *string, // only these packages, as ./wire,./internal/...
	jobs *int, // how many benches are counted at once; default: one a processor
	strict *bool, // fail where the platform is not the pinned one
	shard *string, // only this part of the benches, as 2/5; see merge
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
	which, shardErr := readShard(shard)
	if err := errors.Join(err, shardErr); err != nil {
		return err
	}
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	_, err = gating{selection: selection, shard: which, strict: strict != nil && *strict}.run(ctx, newConsole())
	return err
}

// A gating says what is held to the pins, and how.
type gating struct {
	selection selection
	shard     shard
	// strict fails where the platform is not the pinned one.
	strict bool
	// countsBase counts the commits that pinned what has moved, where nothing else tells
	// which functions did. It takes as long as the build and two counts.
	countsBase bool
}

// run counts the benches of a shard and judges, shows and writes what they cost. The
// results are nil where nothing could be judged. An error that tells the gate's answer
// is an *ExitError, unwrapped.
func (g gating) run(ctx context.Context, c console) (*report.Results, error) {
	steps, finish := c.follow()
	s, err := prepare(ctx, g.selection, steps)
	if err != nil {
		finish()
		return nil, err
	}
	part := s.take(g.shard)
	s.counter.Callgrind.Options = []string{byInstruction}
	counts := s.count(ctx, s.pinned, steps)
	s.hidePaths(counts)
	verdicts := part.keep(s.judge(counts))
	run := s.run(ctx)
	run.Shard, run.Listed = g.shard.String(), part.listed
	options := s.explainVerdicts(verdicts, c.options())
	if g.countsBase {
		s.explainFromCommits(ctx, options.Explained, steps)
	}
	finish()
	results, err := writeResults(s.counter.Root, verdicts, run, options.Explained)
	// The runs of shards become one where they are merged.
	if run.Shard == "" {
		err = errors.Join(err, addHistory(s.counter.Root, results))
	}
	for _, bench := range s.skipped {
		c.say("%s: skips itself", bench.Key)
	}
	if err := errors.Join(err, report.Terminal(c.out, verdicts, options)); err != nil {
		return nil, err
	}
	return results, gate.Conclude(verdicts, g.strict)
}

// judge holds counts to the pins.
func (s *suite) judge(counts []count.Count) []gate.Verdict {
	return gate.Judge(counts, s.file, s.here, gate.Options{Filtered: s.selection.filtered(), Broken: s.broken})
}

// pinned returns what the pin of a bench says that it costs. It says the same on
// another platform: what costs something else there is run until runs agree.
func (s *suite) pinned(key string) count.Expectation {
	pin, ok := s.file.Pin(key)
	if !ok {
		return count.Expectation{}
	}
	want := count.Expectation{Iters: pin.Iters, Total: pin.Total()}
	if allocs, ok := pin.AllocsTotal(); ok {
		want.Allocs = &allocs
	}
	if bytes, ok := pin.BytesTotal(); ok {
		want.Bytes = &bytes
	}
	return want
}

// hidePaths takes the paths of this machine out of what is said of benches.
func (s *suite) hidePaths(counts []count.Count) {
	for i := range counts {
		counts[i].Err = withoutPaths(counts[i].Err, s.counter.Root)
	}
	for i := range s.broken {
		s.broken[i].Err = withoutPaths(s.broken[i].Err, s.counter.Root)
	}
}

// run describes the run, which is at its end.
func (s *suite) run(ctx context.Context) report.Run {
	commit, dirty := commitOf(ctx, s.counter.Root)
	return report.Run{
		Date: time.Now(), Module: s.toolchain.Module, Commit: commit, Dirty: dirty, Filtered: s.selection.filtered(),
		Platform: report.Platform(s.here), Machine: machine.Here(),
	}
}

// writeResults writes results.json and results.txt and returns what stands in the
// first.
func writeResults(root string, verdicts []gate.Verdict, run report.Run, explained map[string]report.Explanation) (*report.Results, error) {
	var machine, people bytes.Buffer
	results := report.NewResults(verdicts, run)
	results.Explain(explained)
	host := report.Host{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Module: run.Module}
	out := filepath.Join(root, "target", "perf")
	return &results, errors.Join(
		results.Write(&machine),
		report.BenchFormat(&people, verdicts, host),
		atomicfile.Write(filepath.Join(out, "results.json"), machine.Bytes()),
		atomicfile.Write(filepath.Join(out, "results.txt"), people.Bytes()),
	)
}
