package gobench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/perfpin/perfpin/tasks/atomicfile"
	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Options say how the measured programs are built.
type Options struct {
	// Dir is a folder of the module.
	Dir string
	// Version is the toolchain of the measured build, as "go1.26.8"; empty means the
	// one that the go command chooses in Dir.
	Version string
	// Tags are the build tags, separated by commas.
	Tags string
	// Pass is what the user hands on to builds on purpose, as NAME=VALUE.
	Pass []string
}

// A Toolchain is a Go toolchain, edited by an overlay, and the module that it
// builds.
type Toolchain struct {
	// Version is the toolchain's, as "go1.26.8".
	Version string
	// Target is what it builds for, as "linux/amd64/v1".
	Target string
	// Module is the module's path; Root is its folder and Out the folder below it
	// that generated files go to.
	Module, Root, Out string

	tags    string
	goTool  string // the go command
	overlay string // the overlay's JSON file
	env     []string
	cgoEnv  []string // the same with cgo enabled
}

// Open finds the module and the toolchain and writes the toolchain's overlay below
// target/perf. It fails where the module cannot be found, the toolchain cannot be
// had, or the toolchain's sources are not those that the edits were made for.
func Open(ctx context.Context, opts Options) (*Toolchain, error) {
	goTool, err := tool.Find("go", "apt-get install golang-go")
	if err != nil {
		return nil, err
	}
	settings, err := querySettings(ctx, goTool, opts)
	if err != nil {
		return nil, err
	}
	gomod := settings["GOMOD"]
	if gomod == "" || gomod == os.DevNull {
		return nil, fmt.Errorf("%s: no go.mod in it or above it\nhint: go mod init example.com/name", opts.Dir)
	}
	t := &Toolchain{
		Version: settings["GOVERSION"],
		Target:  target(settings, opts.Pass),
		Root:    filepath.Dir(gomod),
		tags:    opts.Tags,
	}
	if opts.Version != "" && t.Version != opts.Version {
		return nil, fmt.Errorf("go toolchain: asked for %s, got %s", opts.Version, t.Version)
	}
	t.Out = filepath.Join(t.Root, "target", "perf")
	goroot, err := t.goroot(settings)
	if err != nil {
		return nil, err
	}
	t.goTool = filepath.Join(goroot, "bin", "go")
	t.setEnvironment(goroot, settings, opts.Pass)
	if t.overlay, err = t.writeOverlay(goroot); err != nil {
		return nil, err
	}
	t.Module, err = t.modulePath(ctx)
	return t, err
}

// querySettings asks the go command for its settings in the module. With a version
// asked for, that toolchain is fetched when it is not there yet.
func querySettings(ctx context.Context, goTool string, opts Options) (map[string]string, error) {
	env := cleanenv.Query(os.Environ())
	if opts.Version != "" {
		env = append(env, "GOTOOLCHAIN="+opts.Version)
	}
	var out, errOut bytes.Buffer
	command := tool.Command{
		Path: goTool, Args: []string{"env", "-json"}, Dir: opts.Dir, Env: env, Stdout: &out, Stderr: &errOut,
	}
	switch err := command.Run(ctx); {
	case err != nil && opts.Version != "" && ctx.Err() == nil:
		return nil, fmt.Errorf("go toolchain: %s: cannot be had: %s\nhint: go tool mage perf -go=go1.26.8",
			opts.Version, complaint(errOut.String()))
	case err != nil:
		return nil, fmt.Errorf("%s%w", errOut.String(), err)
	}
	settings := make(map[string]string)
	if err := json.Unmarshal(out.Bytes(), &settings); err != nil {
		return nil, fmt.Errorf("%s env -json: %w", goTool, err)
	}
	return settings, nil
}

// complaint returns what the go command complains of, without its progress.
func complaint(stderr string) string {
	var kept []string
	for line := range strings.Lines(stderr) {
		if line = strings.TrimSpace(strings.TrimPrefix(line, "go: ")); line != "" && !strings.HasPrefix(line, "downloading ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, ": ")
}

// goroot returns the toolchain's root. The go command refuses an overlay of files
// in the module cache, which is where a fetched toolchain lives, so such a one is
// reached through a link.
func (t *Toolchain) goroot(settings map[string]string) (string, error) {
	root, cache := settings["GOROOT"], settings["GOMODCACHE"]
	if inside, err := filepath.Rel(cache, root); err != nil || strings.HasPrefix(inside, "..") {
		return root, nil
	}
	link := filepath.Join(t.Out, "goroot", t.Version)
	if to, err := os.Readlink(link); err == nil && to == root {
		return link, nil
	}
	if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
		return "", err
	}
	if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	// Somebody else may make the same link at the same time.
	if err := os.Symlink(root, link); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return link, nil
}

func (t *Toolchain) setEnvironment(goroot string, settings map[string]string, pass []string) {
	// The toolchain is chosen; the go command must neither switch it again nor look
	// for another root.
	settings["GOTOOLCHAIN"] = "local"
	fixed := append([]string{"GOROOT=" + goroot}, pass...)
	t.env = cleanenv.Build(os.Environ(), settings, fixed)
	t.cgoEnv = cleanenv.Build(os.Environ(), settings, append(fixed, "CGO_ENABLED=1"))
}

// target returns what the toolchain builds for. A measured program runs here, so
// the host decides, and only the variant can be passed.
func target(settings map[string]string, pass []string) string {
	arch := settings["GOHOSTARCH"]
	// The lowest variants; cleanenv.Build lets no other through.
	name, variant := "GO"+strings.ToUpper(arch), map[string]string{"amd64": "v1", "arm64": "v8.0"}[arch]
	for _, pair := range pass {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			variant = value
		}
	}
	return strings.TrimSuffix(settings["GOHOSTOS"]+"/"+arch+"/"+variant, "/")
}

// modulePath returns the path of the module whose folder is t.Root.
func (t *Toolchain) modulePath(ctx context.Context) (string, error) {
	out, err := t.run(ctx, t.env, "list", "-m", "-f", "{{if .Main}}{{.Path}}\t{{.Dir}}{{end}}")
	if err != nil {
		return "", err
	}
	// In a workspace, every module of it is a main one.
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if dir == t.Root {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: is no main module\nhint: go work use %s", t.Root, t.Root)
}

// writeOverlay writes the edited files and the overlay's JSON file, in a folder
// named for their contents, and returns the JSON file's path. Neither the folder
// nor the JSON file enters a build key: only the contents of the files do.
func (t *Toolchain) writeOverlay(goroot string) (string, error) {
	src := filepath.Join(goroot, "src")
	files, err := Overlay(t.Version, func(file string) ([]byte, error) {
		return os.ReadFile(filepath.Join(src, filepath.FromSlash(file)))
	})
	if err != nil {
		return "", err
	}
	// The underscore keeps the files out of the module's own ./... .
	dir := filepath.Join(t.Out, "_overlay", t.Version)
	replace := make(map[string]string, len(files))
	for file, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := atomicfile.Update(path, data); err != nil {
			return "", err
		}
		replace[filepath.Join(src, filepath.FromSlash(file))] = path
	}
	list, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, atomicfile.Update(path, list)
}

// run runs the go command in the module's root and returns what it prints.
func (t *Toolchain) run(ctx context.Context, env []string, args ...string) ([]byte, error) {
	var out, errOut bytes.Buffer
	command := tool.Command{Path: t.goTool, Args: args, Dir: t.Root, Env: env, Stdout: &out, Stderr: &errOut}
	if err := command.Run(ctx); err != nil {
		return nil, fmt.Errorf("%s%w", errOut.String(), err)
	}
	return out.Bytes(), nil
}
