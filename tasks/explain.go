package tasks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/explain"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/git"
	"github.com/perfpin/perfpin/tasks/gobench"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Explain counts benches at an older revision and now, and tells which functions and lines moved.
func Explain(ctx context.Context,
	bench *string, // only the benches whose name in budgets.toml matches this regular expression
	base *string, // the older revision; default: the commit that last changed the bench's pin
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
	if err != nil {
		return err
	}
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	return explainBenches(ctx, selection, base)
}

func explainBenches(ctx context.Context, selection selection, name *string) error {
	c := newConsole()
	steps, finish := c.follow()
	explanations, failures, err := explainAll(ctx, selection, name, steps)
	finish()
	for _, e := range explanations {
		err = errors.Join(err, report.Explain(c.out, e))
	}
	if err != nil {
		return err
	}
	for _, failure := range failures {
		c.say("%v", failure)
	}
	return gate.ConcludeFailures(len(explanations)+len(failures), len(failures), "not explained")
}

// explainAll explains the selected benches, and returns why it cannot explain some.
func explainAll(ctx context.Context, selection selection, name *string, steps chan<- report.Step) ([]report.Explanation, []error, error) {
	head, err := prepare(ctx, selection, steps)
	if err != nil {
		return nil, nil, err
	}
	head.counter.Callgrind.Options = []string{byInstruction}
	explanations, failures, err := head.explainEach(ctx, name, steps)
	return explanations, append(head.brokenErrors(), failures...), err
}

// explainEach explains the suite's benches since a named revision, or each since the
// commit that last changed its pin.
func (s *suite) explainEach(ctx context.Context, name *string, steps chan<- report.Step) (explanations []report.Explanation, failures []error, err error) {
	repository, err := git.Open(ctx, s.counter.Root)
	if err != nil {
		return nil, nil, err
	}
	byRevision := make(map[git.Revision][]gobench.Bench)
	var revisions []git.Revision
	for _, bench := range s.benches {
		var rev git.Revision
		if name != nil {
			rev, err = repository.Resolve(ctx, *name)
		} else {
			rev, err = pinnedAt(ctx, repository, s.file, bench.Key)
		}
		if err != nil {
			failures = append(failures, err)
			if name != nil || ctx.Err() != nil {
				return nil, nil, err
			}
			continue
		}
		if byRevision[rev] == nil {
			revisions = append(revisions, rev)
		}
		byRevision[rev] = append(byRevision[rev], bench)
	}
	for _, rev := range revisions {
		some := *s
		some.benches = byRevision[rev]
		explained, errs, err := some.explainSince(ctx, repository, rev, steps)
		if err != nil {
			return explanations, nil, err
		}
		explanations, failures = append(explanations, explained...), append(failures, errs...)
	}
	return explanations, failures, nil
}

// mostFromCommits is how many benches are counted anew after a gate has failed. What has
// moved more has one cause for most, and a command that tells the rest.
const mostFromCommits = 10

// explainFromCommits explains what no profile of the pinned state is at hand for, as in
// a fresh clone, by a count of the commit that pinned it. What it cannot tell stays as
// it is, with why.
func (s *suite) explainFromCommits(ctx context.Context, explained map[string]report.Explanation, steps chan<- report.Step) {
	some := *s
	some.benches = nil
	for _, bench := range s.benches {
		if errors.Is(explained[bench.Key].Err, errNoProfile) && len(some.benches) < mostFromCommits {
			some.benches = append(some.benches, bench)
		}
	}
	if len(some.benches) == 0 {
		return
	}
	found, failures, err := some.explainEach(ctx, nil, steps)
	if err := errors.Join(append(failures, err)...); err != nil {
		first := explained[some.benches[0].Key]
		first.Err = fmt.Errorf("%w: %w", errNoProfile, withoutPaths(err, s.counter.Root))
		explained[first.Bench] = first
	}
	for _, e := range found {
		// The functions have to add up to what the verdict says.
		if was := explained[e.Bench]; e.Base == was.Base && e.Head == was.Head {
			explained[e.Bench] = e
		}
	}
}

// explainSince explains how far the suite's benches moved since a revision.
func (s *suite) explainSince(ctx context.Context, r git.Repository, rev git.Revision, steps chan<- report.Step) (all []report.Explanation, failures []error, err error) {
	b, err := openBase(ctx, s, r, rev, steps)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, b.close(ctx)) }()
	var had []gobench.Bench
	for _, bench := range s.benches {
		if at := b.bench(bench.Key); at.Key == "" {
			failures = append(failures, fmt.Errorf("%s: base %s has no such bench%s", bench.Key, rev.Name(), b.whyNot(bench.Key)))
		} else {
			had = append(had, at)
		}
	}
	b.benches = had
	before := b.count(ctx, s.pinned, steps)
	both := *s
	both.benches = nil
	for _, c := range before {
		if c.Err != nil {
			failures = append(failures, fmt.Errorf("%s: base %s: %w", c.Bench, rev.Name(), c.Err))
			continue
		}
		both.benches = append(both.benches, s.bench(c.Bench))
	}
	after := both.count(ctx, expectation(before), steps)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	for _, c := range after {
		was, _ := find(before, c.Bench)
		e, err := both.explainOne(b, was, c)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", c.Bench, err))
			continue
		}
		all = append(all, e)
	}
	return all, failures, nil
}

// whyNot tells why a base has no bench, where it is known.
func (b *base) whyNot(key string) string {
	if pkg, broken := b.broken.Of(key); broken {
		return ": " + pkg.Err.Error()
	}
	return ""
}

func (s *suite) explainOne(b *base, before, after count.Count) (report.Explanation, error) {
	e := report.Explanation{
		Bench: after.Bench, Base: before.Total, Head: after.Total, Iters: after.Iters,
		BaseName: b.revision.Name(), HeadName: "now", Notes: b.notes,
	}
	if after.Err != nil {
		return e, after.Err
	}
	if before.Iters != after.Iters {
		return e, fmt.Errorf("counted %d operations at base and %d now: its number of operations is its own", before.Iters, after.Iters)
	}
	was, err := b.profileOf(before)
	if err != nil {
		return e, err
	}
	now, err := s.profileOf(after)
	if err != nil {
		return e, err
	}
	for _, c := range []count.Count{before, after} {
		if !c.Settled {
			e.Notes = append(slices.Clone(e.Notes), fmt.Sprintf("the runs disagree, and the most frequent is shown: %v", c.Runs))
		}
	}
	e.Moves = explain.Compare(was, now)
	e.Lines = make(map[string][]explain.LineMove)
	baseSource, headSource := readSource(), readSource()
	for _, m := range e.Moves[:min(len(e.Moves), report.MostMoves)] {
		lines := explain.CompareLines(was, now, m.Function, baseSource, headSource)
		for i := range lines {
			lines[i].File = s.shortenPath(b, lines[i].File)
		}
		e.Lines[m.Function] = lines
	}
	return e, nil
}

// readSource returns a Source that reads each file once.
func readSource() explain.Source {
	files := make(map[string][]string)
	return func(file string, line int) (string, bool) {
		lines, ok := files[file]
		if !ok {
			// Without the file, its lines are told apart by their numbers.
			text, _ := os.ReadFile(file)
			lines = strings.Split(string(text), "\n")
			files[file] = lines
		}
		if line < 1 || line > len(lines) || file == "" {
			return "", false
		}
		return lines[line-1], true
	}
}

// shortenPath makes a source file's path one inside the module, where it is there.
func (s *suite) shortenPath(b *base, path string) string {
	for _, root := range []string{b.worktree.module, s.counter.Root} {
		if inside, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(inside) {
			return inside
		}
	}
	return path
}
