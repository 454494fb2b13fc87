package tasks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/atomicfile"
	"github.com/perfpin/perfpin/tasks/callgrind"
	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/explain"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/git"
	"github.com/perfpin/perfpin/tasks/gobench"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Profile writes a pprof profile and a flame graph of exact instruction counts for each bench.
func Profile(ctx context.Context,
	bench *string, // only the benches whose name in budgets.toml matches this regular expression
	base *string, // an older revision, for a flame graph of the difference too
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
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	c := newConsole()
	steps, finish := c.follow()
	benches, written, failures, err := profileBenches(ctx, selection, base, steps)
	finish()
	for _, path := range written {
		fmt.Fprintln(c.out, path)
	}
	for _, failure := range failures {
		c.say("%v", failure)
	}
	if err != nil {
		return err
	}
	return gate.ConcludeFailures(benches, len(failures), "without a profile")
}

// deepestCallers is how many callers callgrind tells apart. Below that depth, the
// stack has no caller that is known.
const deepestCallers = "--separate-callers=200"

// profileBenches returns how many benches there are, broken packages included, the
// paths that it has written, relative to the module, and why it could not profile some.
func profileBenches(ctx context.Context, selection selection, name *string, steps chan<- report.Step) (benches int, written []string, failures []error, err error) {
	head, err := prepare(ctx, selection, steps)
	if err != nil {
		return 0, nil, nil, err
	}
	benches = len(head.benches) + len(head.broken)
	failures = head.brokenErrors()
	var before map[string]explain.Profile
	if name != nil {
		if before, err = profileBase(ctx, head, *name, steps); err != nil {
			return benches, nil, nil, err
		}
	}
	profiles, errs := head.profiles(ctx, steps)
	failures = append(failures, errs...)
	if ctx.Err() != nil {
		return benches, nil, nil, context.Cause(ctx)
	}
	for _, bench := range head.benches {
		p, ok := profiles[bench.Key]
		if !ok {
			continue
		}
		paths, err := writeProfile(head.counter.Root, p, before)
		written = append(written, paths...)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", bench.Key, err))
		}
	}
	return benches, written, failures, nil
}

func profileBase(ctx context.Context, head *suite, name string, steps chan<- report.Step) (profiles map[string]explain.Profile, err error) {
	r, err := git.Open(ctx, head.counter.Root)
	if err != nil {
		return nil, err
	}
	rev, err := r.Resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	b, err := openBase(ctx, head, r, rev, steps)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close(ctx)) }()
	profiles, errs := b.profiles(ctx, steps)
	return profiles, errors.Join(errs...)
}

// profiles counts the benches and profiles each with its callers.
func (s *suite) profiles(ctx context.Context, steps chan<- report.Step) (map[string]explain.Profile, []error) {
	profiles := make(map[string]explain.Profile)
	var errs []error
	counts := s.count(ctx, s.pinned, steps)
	for i, bench := range s.benches {
		if ctx.Err() != nil {
			break
		}
		steps <- report.Step{What: "profile " + bench.Key, Done: i, Total: len(s.benches)}
		p, err := s.profile(ctx, bench, counts[i])
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", bench.Key, err))
			continue
		}
		profiles[bench.Key] = p
	}
	return profiles, errs
}

// profile runs a bench that was counted once more, with callers.
func (s *suite) profile(ctx context.Context, bench gobench.Bench, counted count.Count) (explain.Profile, error) {
	p := explain.Profile{Bench: bench.Key, Iters: counted.Iters}
	if counted.Err != nil {
		return p, counted.Err
	}
	counter := s.counter
	counter.Callgrind.Options = []string{byInstruction, deepestCallers}
	run, err := counter.Once(ctx, bench, counted.Iters)
	if err != nil {
		return p, err
	}
	parsed, err := callgrind.Parse("callgrind.out", run.Profile.Text)
	if err != nil {
		return p, err
	}
	programs, err := readPrograms(s.counter.Root, bench)
	if err == nil {
		err = programs.Check("callgrind.out", parsed.Functions())
	}
	if err != nil {
		return p, err
	}
	p.Costs = explain.Stacks(count.CountedContexts(parsed), parsed.Files, programs)
	if got := p.Total(); got != counted.Total && counted.Settled {
		return p, fmt.Errorf("the profile is of %d instructions, and %d were counted", got, counted.Total)
	}
	return p, nil
}

// writeProfile writes the files of one bench and returns their paths.
func writeProfile(root string, p explain.Profile, before map[string]explain.Profile) ([]string, error) {
	base := strings.TrimSuffix(count.ProfilePath(filepath.Join("target", "perf", "pprof"), p.Bench), ".callgrind")
	var paths []string
	write := func(suffix string, to func(io.Writer) error) error {
		var out bytes.Buffer
		if err := to(&out); err != nil {
			return err
		}
		paths = append(paths, base+suffix)
		return atomicfile.Write(filepath.Join(root, base+suffix), out.Bytes())
	}
	err := errors.Join(
		write(".pb.gz", p.WritePprof),
		write(".svg", func(w io.Writer) error { return explain.WriteFlame(w, p) }),
	)
	was, ok := before[p.Bench]
	if !ok {
		// One of another base would be taken for this one's.
		for _, suffix := range []string{".base.pb.gz", ".diff.svg"} {
			if removeErr := os.Remove(filepath.Join(root, base+suffix)); !errors.Is(removeErr, os.ErrNotExist) {
				err = errors.Join(err, removeErr)
			}
		}
		return paths, err
	}
	return paths, errors.Join(err,
		write(".base.pb.gz", was.WritePprof),
		write(".diff.svg", func(w io.Writer) error { return explain.WriteFlameDiff(w, was, p) }),
	)
}
