package tasks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/perfpin/perfpin/tasks/atomicfile"
	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/git"
	"github.com/perfpin/perfpin/tasks/gocommand"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Init sets the module up: go.mod, magefile.go, budgets.toml from a first count, and a CI step. It overwrites nothing.
func Init(ctx context.Context,
	ci *string, // the CI step: github, gitlab or none; default: where the remote is
) error {
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	root, err := gocommand.CurrentModule()
	if err != nil {
		return err
	}
	goCommand, err := gocommand.Open(ctx, root)
	if err != nil {
		return err
	}
	n := newcomer{console: newConsole(), root: root, goCommand: goCommand}
	// Without Git there is no remote, and the module's folder is the place of everything.
	n.repository, n.noGit = git.Open(ctx, root)
	system, err := n.chooseCI(ctx, ci)
	if err != nil {
		return err
	}
	return n.setUp(ctx, system)
}

// A newcomer is a module that is being set up.
type newcomer struct {
	console    console
	root       string
	goCommand  gocommand.Go
	repository git.Repository
	noGit      error // why there is no repository
}

// setUp does each step whatever the others give, but for what all need, go.mod.
func (n newcomer) setUp(ctx context.Context, system string) error {
	if err := n.require(ctx); err != nil {
		return err
	}
	errs := []error{n.writeMagefile(), n.ignoreTarget(ctx), n.writeCI(system), n.writePins(ctx)}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	failed := 0
	for _, err := range errs {
		if err != nil {
			failed++
		}
	}
	if failed == 0 {
		n.console.say("next: git add -A && git commit; from then on: go tool mage perf")
		return nil
	}
	return fmt.Errorf("%w\nsteps that are left to do: %d", errors.Join(errs...), failed)
}

// create writes a file, unless there is one, and says which it did. The path is
// relative to folder.
func (n newcomer) create(folder, path, text string) error {
	whole := filepath.Join(folder, filepath.FromSlash(path))
	if _, err := os.Lstat(whole); err == nil {
		n.console.say("%s: is there already", path)
		return nil
	}
	if err := atomicfile.Write(whole, []byte(text)); err != nil {
		return err
	}
	n.console.say("%s: written", path)
	return nil
}

// ignored is the line for what is generated: without a slash at its end it holds for a
// link to a folder, too.
const ignored = "/target\n"

// ignoreTarget keeps what is generated out of the repository.
func (n newcomer) ignoreTarget(ctx context.Context) error {
	if n.noGit != nil {
		return n.create(n.root, ".gitignore", ignored)
	}
	// It exits with 1 where nothing ignores the path, see git-check-ignore(1).
	if _, err := n.repository.Run(ctx, "check-ignore", "--quiet", "target/perf"); err == nil || ctx.Err() != nil {
		return nil
	}
	path := filepath.Join(n.root, ".gitignore")
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return n.create(n.root, ".gitignore", ignored)
	}
	if err != nil {
		return err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	// It is the user's: it keeps its mode, and a link stays one.
	if err := budget.Write(path, append(text, ignored...)); err != nil {
		return err
	}
	n.console.say(".gitignore: added /target")
	return nil
}

// writePins counts all benchmarks for the first time.
func (n newcomer) writePins(ctx context.Context) error {
	if _, err := os.Lstat(filepath.Join(n.root, budgetsFile)); err == nil {
		n.console.say("%s: is there already", budgetsFile)
		return nil
	}
	selection, err := flags{}.read()
	if err != nil {
		return err
	}
	err = pin(ctx, selection, "")
	// Those that cannot be counted have been told of.
	if exit := (*gate.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("%s: %w", budgetsFile, err)
	}
	return err
}
