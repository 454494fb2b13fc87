package budget

import (
	"slices"
	"strings"
)

// A Platform is what counts depend on. Pins hold only on the Platform that
// they were taken with.
type Platform struct {
	Go     string // "go1.26.8"
	Target string // GOOS/GOARCH/microarchitecture level: "linux/amd64/v1"
	// Libc is Static, or the C library that a measured binary is linked with, as
	// "glibc 2.36".
	Libc string
	CPU  string   // the model that valgrind shows to programs: "avx2"
	Seed string   // of the run time's randomness: "fixed", or "random" where it could not be fixed
	Tags string   // build tags, comma-separated; with cgo also CompilerSeparator and the C compiler's version
	Env  []string // NAME=VALUE, what the user passes to measured processes on purpose
	// Valgrind is told and not compared: counts agree between its versions.
	Valgrind string
}

const (
	// Static is the Libc where no measured binary needs a C library.
	Static = "static"
	// CompilerSeparator stands between the build tags and the C compiler in Tags.
	CompilerSeparator = " cc="
)

// A Difference is one field in which a platform is not the pinned one.
type Difference struct {
	Field  string // the key in [pinned]
	Pinned string
	Here   string
}

// Diff returns the fields of the pinned platform p that differ here, in the
// order of the file; none when counts can be compared. Valgrind is left out.
func (p Platform) Diff(here Platform) []Difference {
	var differences []Difference
	there := here.fields()
	for i, field := range p.fields() {
		if !agree(field, there[i]) {
			differences = append(differences, Difference{field.key, field.value, there[i].value})
		}
	}
	return differences
}

// agree tells whether counts taken with a and b can be compared. The first
// binary that needs a C library or a C compiler makes none of the others' counts
// another: only two libraries, or two compilers, are a difference.
func agree(a, b field) bool {
	switch a.key {
	case "valgrind":
		return true
	case "libc":
		return a.value == b.value || a.value == Static || b.value == Static
	case "tags":
		aTags, aCompiler, aCgo := strings.Cut(a.value, CompilerSeparator)
		bTags, bCompiler, bCgo := strings.Cut(b.value, CompilerSeparator)
		return aTags == bTags && (!aCgo || !bCgo || aCompiler == bCompiler)
	}
	return a.value == b.value
}

// A field is one key of [pinned] with its value; env is joined for telling.
type field struct {
	key, value string
}

func (p Platform) fields() []field {
	return []field{
		{"go", p.Go},
		{"target", p.Target},
		{"libc", p.Libc},
		{"cpu", p.CPU},
		{"seed", p.Seed},
		{"tags", p.Tags},
		{"env", tellEnv(p.Env)},
		{"valgrind", p.Valgrind},
	}
}

// tellEnv shows the variables as TOML does, sorted: their order is no
// difference.
func tellEnv(env []string) string {
	if len(env) == 0 {
		return ""
	}
	quoted := make([]string, len(env))
	for i, variable := range slices.Sorted(slices.Values(env)) {
		quoted[i] = quoteString(variable)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
