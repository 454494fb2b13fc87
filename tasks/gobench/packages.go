package gobench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Package is a package of the module that has test files.
type Package struct {
	// Path is the import path and Dir the folder.
	Path, Dir string
	// Key is the path inside the module: "" for its root.
	Key string
	// Cgo tells that the package's test binary needs cgo. Of the standard library
	// only what can do without counts: it then does.
	Cgo bool
	// Err tells why the package cannot be built, where the go command knows before.
	Err error
}

// DefaultPatterns returns the patterns of the packages that have the module's
// benchmarks: ./benches/... where there is such a folder, else ./... .
func DefaultPatterns(root string) []string {
	if info, err := os.Stat(filepath.Join(root, "benches")); err == nil && info.IsDir() {
		return []string{"./benches/..."}
	}
	return []string{"./..."}
}

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath   string
	Dir          string
	Standard     bool
	DepOnly      bool
	ForTest      string
	CgoFiles     []string
	TestGoFiles  []string
	XTestGoFiles []string
	Deps         []string
	Module       *struct{ Path string }
	Error        *struct{ Err string }
	DepsErrors   []*struct{ Err string }
}

// Packages returns the packages that match the patterns and have test files, in
// the order of their paths.
func (t *Toolchain) Packages(ctx context.Context, patterns []string) ([]Package, error) {
	args := []string{
		"list", "-e", "-test", "-deps", "-tags=" + t.tags,
		"-json=ImportPath,Dir,Standard,DepOnly,ForTest,CgoFiles,TestGoFiles,XTestGoFiles,Deps,Module,Error,DepsErrors",
	}
	// Without cgo, files that need it would be left out and never be seen.
	out, err := t.run(ctx, t.cgoEnv, append(append(args, "--"), patterns...)...)
	if err != nil {
		return nil, err
	}
	all := make(map[string]*listed)
	var paths []string
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list -json: %w", err)
		}
		all[p.ImportPath] = p
		if !p.DepOnly && p.ForTest == "" {
			paths = append(paths, p.ImportPath)
		}
	}
	var packages []Package
	for _, path := range paths {
		p := all[path]
		failed := p.Error != nil && len(p.TestGoFiles)+len(p.XTestGoFiles) == 0
		if strings.HasSuffix(path, ".test") || !failed && len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		packages = append(packages, t.describe(p, all))
	}
	slices.SortFunc(packages, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	if len(packages) == 0 {
		return nil, fmt.Errorf("%s: no package with test files\nhint: go list -test ./... | sort", strings.Join(patterns, " "))
	}
	return packages, nil
}

func (t *Toolchain) describe(p *listed, all map[string]*listed) Package {
	pkg := Package{Path: p.ImportPath, Dir: p.Dir, Key: t.key(p.ImportPath)}
	test := all[p.ImportPath+".test"]
	deps := p.Deps
	if test != nil {
		deps = test.Deps
	}
	for _, path := range append([]string{p.ImportPath}, deps...) {
		if dep := all[path]; dep != nil && !dep.Standard && len(dep.CgoFiles) > 0 {
			pkg.Cgo = true
		}
	}
	switch {
	case p.Error != nil:
		pkg.Err = errors.New(strings.TrimSpace(p.Error.Err))
	case test == nil && len(p.DepsErrors) > 0:
		pkg.Err = errors.New(strings.TrimSpace(p.DepsErrors[0].Err))
	}
	return pkg
}

// key returns the path inside the module. A package of another module, such as
// one of the standard library, keeps its whole path.
func (t *Toolchain) key(path string) string {
	if path == t.Module {
		return ""
	}
	return strings.TrimPrefix(path, t.Module+"/")
}

// Name returns how results call the package: its path inside the module, or the
// whole path where that is empty.
func (p Package) Name() string {
	if p.Key == "" {
		return p.Path
	}
	return p.Key
}
