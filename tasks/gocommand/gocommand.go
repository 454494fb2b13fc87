// Package gocommand runs the go command for a module: it asks it, lists the module's
// commands and builds them, without cgo and paths of this machine, and runs its tests.
package gocommand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// A Go is the go command in a module.
type Go struct {
	Path string // of the go command
	Root string // the module's folder
	// Module is the module's path, Version the toolchain's ("go1.26.8") and Target what
	// is built for ("linux/amd64").
	Module, Version, Target string

	build []string // environment of a build
}

// Open asks the go command about the module whose folder is root.
func Open(ctx context.Context, root string) (Go, error) {
	path, err := tool.Find("go", "apt-get install golang-go")
	if err != nil {
		return Go{}, err
	}
	g := Go{Path: path, Root: root}
	out, err := g.Query(ctx, "env", "-json")
	if err != nil {
		return g, err
	}
	settings := map[string]string{}
	if err := json.Unmarshal([]byte(out), &settings); err != nil {
		return g, fmt.Errorf("go env -json: %w", err)
	}
	g.Version, g.Target = settings["GOVERSION"], settings["GOOS"]+"/"+settings["GOARCH"]
	g.build = cleanenv.Build(os.Environ(), settings, nil)
	// Not list -m, which tells all modules of a workspace, in an order of its own.
	if out, err = g.Query(ctx, "mod", "edit", "-json"); err != nil {
		return g, err
	}
	var file struct{ Module struct{ Path string } }
	if err := json.Unmarshal([]byte(out), &file); err != nil {
		return g, fmt.Errorf("go mod edit -json: %w", err)
	}
	g.Module = file.Module.Path
	return g, nil
}

// Query runs the go command in the module's folder and returns what it prints, without
// blanks around it.
func (g Go) Query(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	err := tool.Command{
		Path: g.Path, Args: args, Dir: g.Root, Env: cleanenv.Query(os.Environ()), Stdout: &out,
	}.Run(ctx)
	return strings.TrimSpace(out.String()), err
}

// Commands returns the import paths of the module's commands, sorted.
func (g Go) Commands(ctx context.Context) ([]string, error) {
	out, err := g.Query(ctx, "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, "./...")
	return strings.Fields(out), err
}

// Build builds a command into the file output, and returns its size in bytes. Paths of
// this machine do not become part of it, so that the size is the same elsewhere.
func (g Go) Build(ctx context.Context, command, output string, flags ...string) (int64, error) {
	if err := os.MkdirAll(filepath.Dir(output), 0o777); err != nil {
		return 0, err
	}
	args := append([]string{"build", "-trimpath", "-o", output}, flags...)
	err := tool.Command{Path: g.Path, Args: append(args, command), Dir: g.Root, Env: g.build}.Run(ctx)
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(output)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// A Test is one run of the module's tests.
type Test struct {
	Packages []string // patterns
	Flags    []string
	Args     []string // for the test binaries
	Env      []string // NAME=VALUE, added
	Log      string   // the file that everything is appended to
	Line     func(string)
}

// ErrTests tells that tests ran and some failed.
var ErrTests = errors.New("some tests failed")

// Test runs tests. Where some fail, the error is ErrTests.
func (g Go) Test(ctx context.Context, t Test) error {
	args := append([]string{"test"}, t.Flags...)
	args = append(args, t.Packages...)
	if t.Args != nil {
		args = append(append(args, "-args"), t.Args...)
	}
	err := tool.Command{
		Path: g.Path, Args: args, Dir: g.Root, Log: t.Log, Line: t.Line,
		Env: append(cleanenv.Query(os.Environ()), t.Env...),
	}.Run(ctx)
	var failure *tool.Error
	if errors.As(err, &failure) && failure.Cause == nil && failure.ExitCode == 1 {
		return fmt.Errorf("%w (log: %s)", ErrTests, t.Log)
	}
	return err
}

// Tool runs one of the go command's tools, as covdata.
func (g Go) Tool(ctx context.Context, name string, args ...string) error {
	_, err := g.Query(ctx, append([]string{"tool", name}, args...)...)
	return err
}
