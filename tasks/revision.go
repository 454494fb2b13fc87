package tasks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// A repository is the Git repository that holds the module.
type repository struct {
	path string // of the git command
	// root is the module's folder and prefix its path below the worktree's root.
	root, prefix string
	shallow      bool
}

// A revision is a commit, and how it was asked for.
type revision struct{ commit, asked string }

// name returns how messages call the revision: "v1.2.0 (1a2b3c4d5e6f)".
func (r revision) name() string {
	short := r.commit[:min(12, len(r.commit))]
	if r.asked == "" || strings.HasPrefix(r.commit, r.asked) {
		return short
	}
	return r.asked + " (" + short + ")"
}

func openRepository(ctx context.Context, root string) (repository, error) {
	path, err := tool.Find("git", "apt-get install git")
	if err != nil {
		return repository{}, err
	}
	r := repository{path: path, root: root}
	out, err := r.git(ctx, "rev-parse", "--is-shallow-repository", "--show-prefix")
	if err != nil {
		return r, fmt.Errorf("%s: is in no Git repository that can be read: %w", root, err)
	}
	shallow, prefix, _ := strings.Cut(out, "\n")
	r.shallow, r.prefix = shallow == "true", strings.TrimSuffix(prefix, "\n")
	return r, nil
}

// git runs git in the module's folder and returns what it prints. Nothing like
// GIT_DIR, which is set where a hook runs, reaches it.
func (r repository) git(ctx context.Context, args ...string) (string, error) {
	var out, errOut bytes.Buffer
	err := tool.Command{
		Path: r.path, Args: args, Dir: r.root,
		// Nothing that a question needs may wait for the user's own git, or rewrite the index.
		Env:    cleanenv.Tool(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"),
		Stdout: &out, Stderr: &errOut,
	}.Run(ctx)
	if err != nil {
		return "", fmt.Errorf("%s%w", errOut.String(), err)
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// resolve returns the commit that a name stands for.
func (r repository) resolve(ctx context.Context, name string) (revision, error) {
	commit, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	switch {
	case err == nil:
		return revision{commit, name}, nil
	case ctx.Err() != nil:
		return revision{}, context.Cause(ctx)
	case r.shallow:
		return revision{}, fmt.Errorf("-base=%s: no such commit, and the clone is shallow\nhint: git fetch --unshallow --tags", name)
	}
	return revision{}, fmt.Errorf("-base=%s: no such commit\nhint: git log --oneline --all", name)
}

// mergeBase returns where the current branch left the main one.
func (r repository) mergeBase(ctx context.Context) (revision, error) {
	main, err := r.mainBranch(ctx)
	if err != nil {
		return revision{}, err
	}
	commit, err := r.git(ctx, "merge-base", main, "HEAD")
	switch {
	case err == nil:
		return revision{commit, "merge base with " + main}, nil
	case ctx.Err() != nil:
		return revision{}, context.Cause(ctx)
	case r.shallow:
		return revision{}, fmt.Errorf("%s: no merge base with HEAD, and the clone is shallow\nhint: git fetch --unshallow", main)
	}
	return revision{}, fmt.Errorf("%s: has no commit in common with HEAD\nhint: go tool mage compare -base=HEAD~1", main)
}

// mainBranch returns the main branch: what the remote calls its own, or what is named
// like one.
func (r repository) mainBranch(ctx context.Context) (string, error) {
	if name, err := r.git(ctx, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"); err == nil {
		return name, nil
	}
	for _, name := range []string{"origin/main", "origin/master", "main", "master"} {
		if _, err := r.resolve(ctx, name); err == nil {
			return name, nil
		}
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return "", errors.New("main branch: neither origin/HEAD nor main nor master is there\nhint: go tool mage compare -base=HEAD~1")
}

// pinnedAt returns the commit that last changed the pin of a bench.
func (r repository) pinnedAt(ctx context.Context, file *budget.File, bench string) (revision, error) {
	pin, ok := file.Pin(bench)
	if !ok {
		return revision{}, fmt.Errorf("%s: has no pin whose commit could be the base\nhint: go tool mage explain -bench=%s -base=HEAD",
			bench, quoteShell("^"+regexp.QuoteMeta(bench)+"$"))
	}
	text, err := os.ReadFile(filepath.Join(r.root, budgetsFile))
	if err != nil {
		return revision{}, err
	}
	lines := strings.Split(string(text), "\n")
	if pin.Line < 1 || pin.Line > len(lines) {
		return revision{}, fmt.Errorf("%s:%d: changed while it was read", budgetsFile, pin.Line)
	}
	key, _, _ := strings.Cut(lines[pin.Line-1], "{")
	commit, err := r.git(ctx, "log", "-1", "--format=%H", "-G^"+regexp.QuoteMeta(key), "--", budgetsFile)
	if err != nil {
		return revision{}, err
	}
	again := "\nhint: go tool mage explain -bench=" + quoteShell("^"+regexp.QuoteMeta(bench)+"$") + " -base=HEAD"
	if commit == "" {
		return revision{}, fmt.Errorf("%s:%d: bench %q: no commit has this pin%s", budgetsFile, pin.Line, bench, again)
	}
	// A shallow clone's first commit seems to add everything.
	if _, err := r.git(ctx, "rev-parse", "--verify", "--quiet", commit+"^"); err != nil && r.shallow {
		return revision{}, fmt.Errorf("%s:%d: bench %q: the commit that pinned it is not in this shallow clone\nhint: git fetch --unshallow",
			budgetsFile, pin.Line, bench)
	}
	return revision{commit: commit, asked: "pinned"}, nil
}

// quoteShell quotes a word for a POSIX shell.
func quoteShell(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
