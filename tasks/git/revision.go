package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// A Revision is a commit, and how it was asked for.
type Revision struct{ Commit, Asked string }

// Name returns how messages call the revision: "v1.2.0 (1a2b3c4d5e6f)".
func (r Revision) Name() string {
	short := r.Commit[:min(12, len(r.Commit))]
	if r.Asked == "" || strings.HasPrefix(r.Commit, r.Asked) {
		return short
	}
	return r.Asked + " (" + short + ")"
}

// Resolve returns the commit that a name stands for.
func (r Repository) Resolve(ctx context.Context, name string) (Revision, error) {
	commit, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	switch {
	case err == nil:
		return Revision{commit, name}, nil
	case ctx.Err() != nil:
		return Revision{}, context.Cause(ctx)
	case r.Shallow:
		return Revision{}, fmt.Errorf("-base=%s: no such commit, and the clone is shallow\nhint: git fetch --unshallow --tags", name)
	}
	return Revision{}, fmt.Errorf("-base=%s: no such commit\nhint: git log --oneline --all", name)
}

// MergeBase returns where the current branch left the main one.
func (r Repository) MergeBase(ctx context.Context) (Revision, error) {
	main, err := r.mainBranch(ctx)
	if err != nil {
		return Revision{}, err
	}
	commit, err := r.Run(ctx, "merge-base", main, "HEAD")
	switch {
	case err == nil:
		return Revision{commit, "merge base with " + main}, nil
	case ctx.Err() != nil:
		return Revision{}, context.Cause(ctx)
	case r.Shallow:
		return Revision{}, fmt.Errorf("%s: no merge base with HEAD, and the clone is shallow\nhint: git fetch --unshallow", main)
	}
	return Revision{}, fmt.Errorf("%s: has no commit in common with HEAD\nhint: go tool mage compare -base=HEAD~1", main)
}

// mainBranch returns the main branch: what the remote calls its own, or what is named
// like one.
func (r Repository) mainBranch(ctx context.Context) (string, error) {
	if name, err := r.Run(ctx, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"); err == nil {
		return name, nil
	}
	for _, name := range []string{"origin/main", "origin/master", "main", "master"} {
		if _, err := r.Resolve(ctx, name); err == nil {
			return name, nil
		}
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return "", errors.New("main branch: neither origin/HEAD nor main nor master is there\nhint: go tool mage compare -base=HEAD~1")
}
