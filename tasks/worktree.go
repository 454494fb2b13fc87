package tasks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/perfpin/perfpin/tasks/filelock"
	"github.com/perfpin/perfpin/tasks/git"
	"github.com/perfpin/perfpin/tasks/report"
)

// A worktree is a revision of the repository, checked out for a while.
type worktree struct {
	repository git.Repository
	// path is the worktree's root and module the folder in it that has the module.
	path, module string
	unlock       func()
}

// checkOut checks a revision out into a folder of its own, outside of the module:
// there, neither the go.mod nor the go.work of the user's tree holds. The user's tree,
// index and stash stay as they are.
//
// The folder has the same name each time, which lets builds be used again, and
// whoever comes second waits. Its target/perf is kept below the module's, at cache.
func checkOut(ctx context.Context, r git.Repository, rev git.Revision, cache string, steps chan<- report.Step) (*worktree, error) {
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return nil, err
	}
	unlock, err := filelock.Take(ctx, filepath.Join(cache, "lock"), func() {
		steps <- report.Step{What: "wait for another run that uses " + rev.Name(), Notable: true}
	})
	if err != nil {
		return nil, err
	}
	w := &worktree{repository: r, unlock: unlock}
	if w.path, err = privateFolder(r.Root + "\x00" + rev.Commit); err != nil {
		return nil, errors.Join(err, w.remove(ctx))
	}
	// What a run that was killed has left behind.
	if err := w.clear(ctx); err != nil {
		return nil, errors.Join(err, w.remove(ctx))
	}
	steps <- report.Step{What: "check out " + rev.Name(), Notable: true}
	// No hook of the user's runs: it would take the worktree for the user's own.
	if _, err := r.Run(ctx, "-c", "core.hooksPath=/dev/null", "worktree", "add", "--detach", "--force", w.tree(), rev.Commit); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: check out: %w", rev.Name(), err), w.remove(ctx))
	}
	w.module = filepath.Join(w.tree(), r.Prefix)
	if err := w.prepare(ctx, rev, cache); err != nil {
		return nil, errors.Join(err, w.remove(ctx))
	}
	return w, nil
}

// prepare sees that the module is there, and lets it use what was built before.
func (w *worktree) prepare(ctx context.Context, rev git.Revision, cache string) error {
	if _, err := os.Stat(filepath.Join(w.module, "go.mod")); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: is older than the module: it has no %s\nhint: git log --diff-filter=A --format=%%h -- %s",
			rev.Name(), filepath.Join(w.repository.Prefix, "go.mod"), report.QuoteShell(filepath.Join(w.repository.Root, "go.mod")))
	} else if err != nil {
		return err
	}
	perf := filepath.Join(w.module, "target", "perf")
	if err := os.MkdirAll(filepath.Dir(perf), 0o777); err != nil {
		return err
	}
	if err := os.Symlink(cache, perf); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// tree is the checked-out tree. The folder around it is the user's alone.
func (w *worktree) tree() string { return filepath.Join(w.path, "tree") }

// clear removes the checked-out tree, if there is one, and what Git knows of it. Where
// Git cannot, it is half made, and Git replaces what it knows the next time.
func (w *worktree) clear(ctx context.Context) error {
	if _, err := os.Lstat(w.tree()); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if _, err := w.repository.Run(ctx, "worktree", "remove", "--force", "--force", w.tree()); err == nil {
		return nil
	}
	return os.RemoveAll(w.tree())
}

// remove removes the worktree, also where ctx has ended.
func (w *worktree) remove(ctx context.Context) error {
	defer w.unlock()
	if w.path == "" {
		return nil
	}
	// Mage waits 5 s after an interruption.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 4*time.Second)
	defer cancel()
	return errors.Join(w.clear(ctx), os.RemoveAll(w.path))
}

// privateFolder makes the folder that belongs to a key, for this user only.
func privateFolder(key string) (string, error) {
	sum := sha256.Sum256([]byte(key))
	path := filepath.Join(os.TempDir(), fmt.Sprintf("perfpin-base-%d-%s", os.Getuid(), hex.EncodeToString(sum[:8])))
	err := os.Mkdir(path, 0o700)
	if !errors.Is(err, os.ErrExist) {
		return path, err
	}
	// Somebody else could have made it in a folder that everybody may write to.
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(owner.Uid) != os.Getuid() || info.Mode().Perm() != 0o700 {
		return "", fmt.Errorf("%s: is no private folder of this user", path)
	}
	return path, nil
}
