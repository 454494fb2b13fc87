package tasks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/gobench"
	"github.com/perfpin/perfpin/tasks/gocommand"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/valgrind"
)

// budgetsFile is the file of the pins, at the module's root.
const budgetsFile = "budgets.toml"

// A suite is the benchmarks of one run, built and listed, and what counts them.
type suite struct {
	selection selection
	toolchain *gobench.Toolchain
	counter   count.Counter
	file      *budget.File
	// here is the platform of the counts.
	here    budget.Platform
	benches []gobench.Bench
	skipped []gobench.Bench
	// broken holds the packages whose benchmarks could not be listed; listed tells
	// that those of the others are.
	broken gate.BrokenPackages
	listed bool
}

// prepare builds and lists what the selection says, and sees to valgrind.
func prepare(ctx context.Context, s selection, steps chan<- report.Step) (*suite, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	root, err := gocommand.ModuleRoot(dir)
	if err != nil {
		return nil, err
	}
	file, err := readBudgets(root)
	if err != nil {
		return nil, err
	}
	s.asPinned(file.Pinned)
	// Two things that take long when they are done for the first time.
	var v valgrind.Valgrind
	var valgrindErr error
	var wait sync.WaitGroup
	wait.Go(func() { v, valgrindErr = bootstrap(ctx, root, steps) })
	suite := &suite{selection: s, file: file}
	err = suite.build(ctx, dir, steps)
	wait.Wait()
	if err := errors.Join(valgrindErr, err); err != nil {
		return nil, err
	}
	suite.counter = count.Counter{
		Callgrind: count.Callgrind{Path: v.Path, Lib: v.Lib, Version: v.Version, FixedSeed: v.FixedSeed},
		Pass:      s.pass, Limits: s.limits,
		Root: root, Profiles: filepath.Join("target", "perf", "profiles"),
	}
	return suite, suite.identify(ctx)
}

// readBudgets reads the pins; without the file there are none.
func readBudgets(root string) (*budget.File, error) {
	data, err := os.ReadFile(filepath.Join(root, budgetsFile))
	if errors.Is(err, os.ErrNotExist) {
		data, err = budget.Template(), nil
	}
	if err != nil {
		return nil, err
	}
	return budget.Parse(budgetsFile, data)
}

// bootstrap returns the valgrind to use, built first where it is missing.
func bootstrap(ctx context.Context, root string, steps chan<- report.Step) (valgrind.Valgrind, error) {
	return valgrind.Ensure(ctx, filepath.Join(root, "target", "tools"), func(p valgrind.Progress) {
		steps <- report.Step{What: p.Step, Done: int(p.Done), Total: int(p.Total), Notable: true}
	})
}

// build builds the packages' tests and lists their benchmarks.
func (s *suite) build(ctx context.Context, dir string, steps chan<- report.Step) error {
	steps <- report.Step{What: "build benchmarks", Notable: true}
	t, err := gobench.Open(ctx, gobench.Options{
		Dir: dir, Version: s.selection.version, Tags: *s.selection.tags, Pass: s.selection.pass,
	})
	if err != nil {
		return err
	}
	s.toolchain = t
	patterns := s.selection.patterns
	if patterns == nil {
		patterns = gobench.DefaultPatterns(t.Root)
	}
	packages, err := t.Packages(ctx, patterns)
	if err != nil {
		return err
	}
	builds := t.BuildTests(ctx, packages)
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	return s.list(ctx, builds, steps)
}

func (s *suite) list(ctx context.Context, builds []gobench.Build, steps chan<- report.Step) error {
	found := make([][]gobench.Bench, len(builds))
	errs := make([]error, len(builds))
	var group errgroup.Group
	group.SetLimit(s.selection.jobs)
	for i, b := range builds {
		if errs[i] = b.Err; b.Err != nil {
			continue
		}
		group.Go(func() error {
			steps <- report.Step{What: "list " + b.Package.Path}
			found[i], errs[i] = gobench.List(ctx, b.Binary, s.selection.pass, s.selection.limits)
			if errs[i] == nil {
				s.toolchain.BuildCommands(ctx, found[i])
			}
			return nil
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i, b := range builds {
		if errs[i] != nil {
			s.broken = append(s.broken, gate.BrokenPackage{Key: b.Package.Key, Name: b.Package.Name(), Err: errs[i]})
		}
		s.choose(found[i])
	}
	s.refuseNamesakes()
	s.listed = true
	if len(s.benches)+len(s.broken) == 0 {
		return s.nothing()
	}
	return nil
}

// refuseNamesakes fails benchmarks of different packages that have one key: a pin could
// be of either.
func (s *suite) refuseNamesakes() {
	packages := make(map[string][]string)
	for _, bench := range s.benches {
		packages[bench.Key] = append(packages[bench.Key], bench.Binary.Package.Path)
	}
	for i := range s.benches {
		bench := &s.benches[i]
		if in := packages[bench.Key]; len(in) > 1 {
			bench.Err = fmt.Errorf("the packages %s each have a bench of this name: rename one", strings.Join(in, " and "))
		}
	}
}

// choose keeps the benchmarks that the selection wants.
func (s *suite) choose(benches []gobench.Bench) {
	for _, bench := range benches {
		switch {
		case s.selection.bench != nil && !s.selection.bench.MatchString(bench.Key):
		case bench.Skipped:
			s.skipped = append(s.skipped, bench)
		default:
			s.benches = append(s.benches, bench)
		}
	}
}

// nothing says that no benchmark was found. A gate that counted nothing has not
// passed.
func (s *suite) nothing() error {
	switch {
	case s.selection.bench != nil:
		return fmt.Errorf("-bench=%s: matches no benchmark\nhint: go test ./... -run='^$' -list='^Benchmark'", s.selection.bench)
	case len(s.skipped) > 0:
		return fmt.Errorf("%s: every benchmark skips itself", s.toolchain.Module)
	default:
		return fmt.Errorf("%s: no benchmark in %s\nhint: go test ./... -run='^$' -list='^Benchmark'",
			s.toolchain.Module, strings.Join(gobench.DefaultPatterns(s.toolchain.Root), " "))
	}
}

// brokenErrors tells which packages' benchmarks could not be listed, and why.
func (s *suite) brokenErrors() []error {
	var errs []error
	for _, pkg := range s.broken {
		errs = append(errs, fmt.Errorf("%s: %w", pkg.Name, pkg.Err))
	}
	return errs
}

// count counts every benchmark, several at once, and returns the counts in the
// order of the benchmarks. Those that an interruption has left out have an error.
func (s *suite) count(ctx context.Context, expect func(key string) count.Expectation, steps chan<- report.Step) []count.Count {
	counts := make([]count.Count, len(s.benches))
	var done int
	var mutex sync.Mutex
	var group errgroup.Group
	group.SetLimit(s.selection.jobs)
	for _, i := range s.heaviestFirst(expect) {
		bench := s.benches[i]
		counts[i] = count.Count{Bench: bench.Key, Err: errInterrupted}
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			mutex.Lock()
			steps <- report.Step{What: "count " + bench.Key, Done: done, Total: len(s.benches)}
			mutex.Unlock()
			counted := s.counter.Settle(ctx, bench, expect(bench.Key))
			if counted.Err == nil || ctx.Err() == nil {
				counts[i] = counted
			}
			mutex.Lock()
			done++
			mutex.Unlock()
			return nil
		})
	}
	group.Wait()
	return counts
}

// heaviestFirst returns the indices of the benches in the order in which they are
// started: what takes longest first, so that the jobs end at about the same time. What
// nothing is known of may take long.
func (s *suite) heaviestFirst(expect func(key string) count.Expectation) []int {
	weights := make([]int64, len(s.benches))
	order := make([]int, len(s.benches))
	for i, bench := range s.benches {
		order[i], weights[i] = i, expect(bench.Key).Total
		if weights[i] == 0 {
			weights[i] = math.MaxInt64
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	return order
}

var errInterrupted = errors.New("interrupted before it was counted")
