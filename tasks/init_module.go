package tasks

import (
	"context"
	"encoding/json"
	"fmt"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

const (
	thisModule  = "github.com/perfpin/perfpin"
	mageModule  = "github.com/magefile/mage"
	mageVersion = "v1.17.2"
	targetsPath = thisModule + "/tasks"
)

// A goMod is what matters here of `go mod edit -json`.
type goMod struct {
	Module  struct{ Path string }
	Go      string
	Require []struct{ Path, Version string }
	Tool    []struct{ Path string }
}

// version returns which version of a module is required; "" if none.
func (m goMod) version(path string) string {
	for _, r := range m.Require {
		if r.Path == path {
			return r.Version
		}
	}
	return ""
}

func (m goMod) hasTool(path string) bool {
	for _, t := range m.Tool {
		if t.Path == path {
			return true
		}
	}
	return false
}

// require adds the tool and require lines that go.mod does not have yet.
func (n newcomer) require(ctx context.Context) error {
	before, err := n.readGoMod(ctx)
	if err != nil {
		return err
	}
	if !before.hasTool(mageModule) {
		if _, err := n.goCommand.Query(ctx, "get", "-tool", mageModule+"@"+mageVersion); err != nil {
			return err
		}
		n.console.say("go.mod: added the tool %s %s", mageModule, mageVersion)
	}
	if before.version(thisModule) == "" && before.Module.Path != thisModule {
		if err := n.getTargets(ctx); err != nil {
			return err
		}
	}
	after, err := n.readGoMod(ctx)
	if err != nil {
		return err
	}
	if before.Go != after.Go {
		n.console.say("go.mod: the go line was %s and is %s, which perfpin needs", before.Go, after.Go)
	}
	return n.raiseWorkspace(ctx)
}

// getTargets adds perfpin to go.mod as what the magefile imports. The go command alone
// would say that only others import it until the next `go mod tidy`.
func (n newcomer) getTargets(ctx context.Context) error {
	if _, err := n.goCommand.Query(ctx, "get", thisModule+"@"+ownVersion()); err != nil {
		return err
	}
	m, err := n.readGoMod(ctx)
	if err != nil {
		return err
	}
	version := m.version(thisModule)
	n.console.say("go.mod: added %s %s", thisModule, version)
	_, err = n.goCommand.Query(ctx, "mod", "edit", "-droprequire="+thisModule, "-require="+thisModule+"@"+version)
	return err
}

// raiseWorkspace raises the go line of a workspace to what its modules need.
func (n newcomer) raiseWorkspace(ctx context.Context) error {
	work, err := n.goCommand.Query(ctx, "env", "GOWORK")
	if err != nil || work == "" || work == "off" {
		return err
	}
	_, err = n.goCommand.Query(ctx, "work", "use")
	return err
}

func (n newcomer) readGoMod(ctx context.Context) (goMod, error) {
	var m goMod
	text, err := n.goCommand.Query(ctx, "mod", "edit", "-json")
	if err == nil {
		err = json.Unmarshal([]byte(text), &m)
	}
	return m, err
}

// ownVersion is the version of perfpin that this program is built from, so that the
// module gets the same. One built from a clone has none that can be asked for.
func ownVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "latest"
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path == thisModule && m.Version != "" && m.Version != "(devel)" && m.Sum != "" {
			return m.Version
		}
	}
	return "latest"
}

const magefile = `//go:build mage

package main

import _ "` + targetsPath + `" //mage:import
`

// writeMagefile writes magefile.go, unless the module has a magefile: then it says what
// to add to it.
func (n newcomer) writeMagefile() error {
	existing, err := findMagefiles(n.root)
	if err != nil {
		return err
	}
	if len(existing) == 0 {
		return n.create(n.root, "magefile.go", magefile)
	}
	for _, path := range existing {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(n.root, path), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil && imported == targetsPath {
				n.console.say("%s: imports perfpin's targets already", path)
				return nil
			}
		}
	}
	return fmt.Errorf("%s: is there already, and does not import perfpin's targets\nhint: sed -i '0,/^package /s|^package .*|&\\n\\nimport _ %q //mage:import|' %[1]s",
		existing[0], targetsPath)
}

// findMagefiles returns the Go files that mage would read, relative to root: those of
// the folder magefiles where there are any, else those in root that the build tag mage
// lets in.
func findMagefiles(root string) ([]string, error) {
	module := os.DirFS(root)
	inFolder, err := fs.Glob(module, "magefiles/*.go")
	if err != nil {
		return nil, err
	}
	inRoot, err := fs.Glob(module, "*.go")
	if err != nil {
		return nil, err
	}
	inRoot = slices.DeleteFunc(inRoot, func(name string) bool { return !isMagefile(filepath.Join(root, name)) })
	return append(inFolder, inRoot...), nil
}

// isMagefile tells whether a file belongs to a build with the tag mage and to none
// without it.
func isMagefile(path string) bool {
	text, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "package ") {
			break
		}
		if !constraint.IsGoBuild(line) {
			continue
		}
		expression, err := constraint.Parse(line)
		return err == nil && expression.Eval(func(string) bool { return true }) &&
			!expression.Eval(func(tag string) bool { return tag != "mage" })
	}
	return false
}
