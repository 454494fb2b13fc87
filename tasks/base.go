package tasks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/git"
	"github.com/perfpin/perfpin/tasks/report"
)

// A base is an older revision of the module, built and listed like the user's tree,
// which is called head.
type base struct {
	*suite
	revision git.Revision
	worktree *worktree
	// notes say in what else than its code it differs from head.
	notes []string
}

// openBase checks a revision out and builds what the selection of head says. The
// caller must call close.
func openBase(ctx context.Context, head *suite, r git.Repository, rev git.Revision, steps chan<- report.Step) (*base, error) {
	cache := filepath.Join(head.toolchain.Out, "base", rev.Commit[:12])
	tree, err := checkOut(ctx, r, rev, cache, steps)
	if err != nil {
		return nil, err
	}
	b := &base{suite: &suite{selection: head.selection, file: head.file}, revision: rev, worktree: tree}
	b.counter = head.counter
	b.counter.Profiles, err = filepath.Rel(head.counter.Root, filepath.Join(cache, "profiles"))
	if err == nil {
		err = b.build(ctx, tree.module, steps)
	}
	// A base without the benches is an answer to some, and each asks for itself.
	if err != nil && !b.isEmpty() {
		err = fmt.Errorf("base %s: %w", rev.Name(), err)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, errors.Join(err, tree.remove(ctx))
	}
	if err := b.identify(ctx); err != nil {
		return nil, errors.Join(err, tree.remove(ctx))
	}
	for _, d := range b.here.Diff(head.here) {
		b.notes = append(b.notes, fmt.Sprintf("base is built with %s %q, head with %q", d.Field, d.Pinned, d.Here))
	}
	return b, nil
}

// isEmpty tells that it was built, and has no benchmark of the selection.
func (b *base) isEmpty() bool {
	return b.listed && len(b.benches)+len(b.broken) == 0
}

func (b *base) close(ctx context.Context) error { return b.worktree.remove(ctx) }

// expectation returns what a counted bench would cost if nothing had changed.
func expectation(counts []count.Count) func(key string) count.Expectation {
	return func(key string) count.Expectation {
		for _, c := range counts {
			if c.Bench == key && c.Err == nil {
				return count.Expectation{Iters: c.Iters, Total: c.Total, Allocs: &c.Allocs, Bytes: &c.Bytes}
			}
		}
		return count.Expectation{}
	}
}

// find returns the count of a bench.
func find(counts []count.Count, key string) (count.Count, bool) {
	for _, c := range counts {
		if c.Bench == key {
			return c, true
		}
	}
	return count.Count{}, false
}
