package self

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Test runs all tests, with the real valgrind, nginx and browser, which root gets installed through apt.
func Test(ctx context.Context) error {
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	if err := provide(ctx, os.Geteuid() == 0); err != nil {
		return err
	}
	// Tests that count take turns on the processors by themselves.
	return run(ctx, "test", "-timeout=30m", "./...")
}

// staticcheck is the release that Lint runs.
const staticcheck = "honnef.co/go/tools/cmd/staticcheck@v0.7.0"

// actionlint is the release that Lint runs. It also reads action.yml where a workflow
// uses it.
const actionlint = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"

// Lint runs gofmt, go vet, staticcheck, actionlint and shellcheck, and checks that go.mod is tidy.
func Lint(ctx context.Context) error {
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	if err := provide(ctx, os.Geteuid() == 0); err != nil {
		return err
	}
	return errors.Join(
		format(ctx),
		run(ctx, "vet", "./..."),
		run(ctx, "vet", "-tags=mage", "."),
		run(ctx, "run", staticcheck, "./..."),
		run(ctx, "run", actionlint),
		checkScripts(ctx),
		run(ctx, "mod", "tidy", "-diff"),
	)
}

// format reports the files that gofmt would change.
func format(ctx context.Context) error {
	gofmt, err := tool.Find("gofmt", "apt-get install golang-go")
	if err != nil {
		return err
	}
	var out strings.Builder
	err = tool.Command{
		Path: gofmt, Args: []string{"-l", "magefile.go", "tasks", "server", "benches"},
		Env: cleanenv.Query(os.Environ()), Stdout: &out, Stderr: os.Stderr,
	}.Run(ctx)
	if err == nil && out.Len() > 0 {
		err = fmt.Errorf("gofmt: not formatted:\n%shint: gofmt -w magefile.go tasks server benches", out.String())
	}
	return err
}

// checkScripts reports what shellcheck has against the shell scripts. What it only
// has notes on, such as a dollar sign in single quotes, is often meant.
func checkScripts(ctx context.Context) error {
	shellcheck, err := tool.Find("shellcheck", "apt-get install shellcheck")
	if err != nil {
		return err
	}
	args := []string{"--severity=warning", ".ci/run"}
	for _, pattern := range []string{"scripts/*.sh", "scripts/*/*.sh"} {
		scripts, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		args = append(args, scripts...)
	}
	return tool.Command{
		Path: shellcheck, Args: args, Env: cleanenv.Query(os.Environ()), Stdout: os.Stdout, Stderr: os.Stderr,
	}.Run(ctx)
}

// run runs the go command and shows what it prints. Nothing like GOFLAGS or the
// variables of Mage reaches it.
func run(ctx context.Context, args ...string) error {
	goTool, err := tool.Find("go", "apt-get install golang-go")
	if err != nil {
		return err
	}
	env := cleanenv.Query(os.Environ())
	for i, pair := range env {
		// Where Debian has nginx; only root's PATH leads there.
		if strings.HasPrefix(pair, "PATH=") {
			env[i] += ":/usr/sbin"
		}
	}
	return tool.Command{Path: goTool, Args: args, Env: env, Stdout: os.Stdout, Stderr: os.Stderr}.Run(ctx)
}
