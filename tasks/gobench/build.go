package gobench

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/perfpin/perfpin/tasks/tool"
)

// A Binary is a compiled program that is measured.
type Binary struct {
	Package Package
	// Path is the program's file.
	Path string
	// Static tells that it needs no C library.
	Static bool
}

// A Build is what came of building one package's tests.
type Build struct {
	Package Package
	Binary  Binary
	// Err is nil, or says what the compiler says.
	Err error
}

// BuildTests compiles the tests of each package into a program below
// target/perf/bin. A program that is up to date is left as it is. The builds are in
// the order of the packages.
//
// One go command builds many packages in little more time than one of them.
func (t *Toolchain) BuildTests(ctx context.Context, packages []Package) []Build {
	builds := make([]Build, len(packages))
	for i, pkg := range packages {
		builds[i] = Build{Package: pkg, Err: pkg.Err}
	}
	for folder, batch := range t.batches(builds) {
		t.buildBatch(ctx, folder, batch)
	}
	return builds
}

// batches sorts what can be built into groups that one go command can build, by
// the folder of their programs: with cgo or without, and no two packages in one of
// which the last element of the path is the same, since it names the program.
func (t *Toolchain) batches(builds []Build) map[string][]*Build {
	batches := make(map[string][]*Build)
	seen := make(map[string]int)
	for i := range builds {
		b := &builds[i]
		if b.Err != nil {
			continue
		}
		kind := "static"
		if b.Package.Cgo {
			kind = "cgo"
		}
		name := kind + "/" + programName(b.Package)
		folder := filepath.Join(t.Out, "bin", t.Version, kind, strconv.Itoa(seen[name]))
		seen[name]++
		batches[folder] = append(batches[folder], b)
	}
	return batches
}

// programName is how the go command names a test's program. The last element of a
// path may be a major version, which it skips.
func programName(pkg Package) string {
	dir, name := path.Split(pkg.Path)
	if isMajorVersion(name) && dir != "" {
		name = path.Base(dir)
	}
	return name + ".test"
}

func isMajorVersion(element string) bool {
	digits, ok := strings.CutPrefix(element, "v")
	n, err := strconv.Atoi(digits)
	return ok && err == nil && n > 1 && digits[0] != '0'
}

func (t *Toolchain) buildBatch(ctx context.Context, folder string, batch []*Build) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		for _, b := range batch {
			b.Err = err
		}
		return
	}
	args := t.testArgs(folder + string(filepath.Separator))
	for _, b := range batch {
		args = append(args, b.Package.Path)
	}
	_, err := t.build(ctx, batch[0].Package.Cgo, args)
	for _, b := range batch {
		program := filepath.Join(folder, programName(b.Package))
		if err != nil {
			// One that does not compile fails the whole command: each by itself tells.
			if _, b.Err = t.build(ctx, b.Package.Cgo, append(t.testArgs(program), b.Package.Path)); b.Err != nil {
				continue
			}
		}
		b.Binary, b.Err = describeBinary(b.Package, program)
	}
}

func (t *Toolchain) testArgs(output string) []string {
	return []string{"test", "-c", "-o", output, "-overlay", t.overlay, "-vet=off", "-tags=" + t.tags, ldflags}
}

// ldflags leaves out the DWARF tables, which valgrind would read at each start at
// a quarter of the time of a short run. Functions keep their names.
const ldflags = "-ldflags=-w"

// BuildCommands compiles the Go programs that the benchmarks run, without anything
// in them that depends on where they are built. What fails is the benchmark's Err.
func (t *Toolchain) BuildCommands(ctx context.Context, benches []Bench) {
	built := make(map[string]error)
	for i := range benches {
		bench := &benches[i]
		command := bench.Command
		if command == nil || bench.Err != nil {
			continue
		}
		if pkg := command.Package; pkg != "" {
			program := filepath.Join(t.Out, "bin", t.Version, "commands", url.PathEscape(pkg))
			if _, done := built[pkg]; !done {
				_, built[pkg] = t.buildCommand(ctx, bench.Binary.Package, pkg, program)
			}
			if bench.Err = built[pkg]; bench.Err != nil {
				continue
			}
			command.Program = program
		}
		// A script is no ELF file; its interpreter needs what it needs.
		static, err := isStatic(command.Program)
		command.Static = err == nil && static
	}
}

// buildCommand builds in the folder of the benchmark's package, which a relative
// path starts from.
func (t *Toolchain) buildCommand(ctx context.Context, from Package, pkg, program string) (string, error) {
	args := []string{
		"build", "-C", from.Dir, "-o", program, "-overlay", t.overlay, "-trimpath", "-tags=" + t.tags, ldflags, "--", pkg,
	}
	out, err := t.build(ctx, from.Cgo, args)
	if err != nil {
		err = fmt.Errorf("%s: %w", pkg, err)
	}
	return out, err
}

// build runs the go command and returns its output.
func (t *Toolchain) build(ctx context.Context, cgo bool, args []string) (string, error) {
	env := t.env
	if cgo {
		env = t.cgoEnv
	}
	var out bytes.Buffer
	err := tool.Command{Path: t.goTool, Args: args, Dir: t.Root, Env: env, Stdout: &out, Stderr: &out}.Run(ctx)
	var failed *tool.Error
	if errors.As(err, &failed) && failed.Cause == nil {
		err = fmt.Errorf("does not compile:\n%s", strings.TrimSpace(out.String()))
	}
	return out.String(), err
}

func describeBinary(pkg Package, program string) (Binary, error) {
	static, err := isStatic(program)
	// The go command makes no program of a package all of whose test files are left
	// out by their build constraints.
	if errors.Is(err, os.ErrNotExist) {
		err = errors.New("no test files for this platform and these tags")
	}
	return Binary{Package: pkg, Path: program, Static: static}, err
}

// isStatic reports whether the program names no interpreter, which is what loads
// shared libraries.
func isStatic(path string) (bool, error) {
	file, err := elf.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			return false, nil
		}
	}
	return true, nil
}
