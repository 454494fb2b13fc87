package count

import (
	"os"
	"strings"

	"github.com/perfpin/perfpin/tasks/gobench"
)

// A Perturbation changes, in the measured process itself, what is fixed otherwise
// and must not move the count of a benchmark. It is for measuring the spread.
type Perturbation struct {
	// Name says what is changed.
	Name string
	// Env is added to the environment.
	Env []string
	// LongTmp makes TMPDIR longer.
	LongTmp bool
	// OtherDir makes the working directory known by another, longer name.
	OtherDir bool
}

// Perturbations returns nothing, each kind alone, and all of them.
func Perturbations() []Perturbation {
	long := "PERFPIN_PERTURBATION=" + strings.Repeat("x", 4096)
	library := "LD_LIBRARY_PATH=/nonexistent/lib:/usr/lib:" + strings.Repeat("/usr/lib/nothing:", 40)
	return []Perturbation{
		{Name: "none"},
		{Name: "environment", Env: []string{long}},
		{Name: "working directory", OtherDir: true},
		{Name: "TMPDIR", LongTmp: true},
		{Name: "LD_LIBRARY_PATH", Env: []string{library}},
		{Name: "all", Env: []string{long, library}, OtherDir: true, LongTmp: true},
	}
}

// perturbationsOf returns the perturbations that reach what is counted of a benchmark,
// and the names of the kinds that do not. A command's environment is given, TMPDIR
// included: its start is counted, and costs by the environment's length.
func perturbationsOf(bench gobench.Bench) (reach []Perturbation, left []string) {
	if bench.Command == nil {
		return Perturbations(), nil
	}
	for _, p := range Perturbations() {
		inEnvironment := len(p.Env) > 0 || p.LongTmp
		switch {
		case !inEnvironment:
			reach = append(reach, p)
		case !p.OtherDir:
			// The one of all kinds is none of its own.
			left = append(left, p.Name)
		}
	}
	return reach, left
}

// A place is where a process runs.
type place struct {
	dir, tmp string
	env      []string
}

func (p Perturbation) place(scratch gobench.Scratch, dir string) (place, error) {
	at := place{dir: dir, tmp: scratch.Tmp(), env: p.Env}
	if p.LongTmp {
		at.tmp = scratch.Join("tmp/a-folder-with-a-longer-name")
		if err := os.Mkdir(at.tmp, 0o700); err != nil {
			return at, err
		}
	}
	if p.OtherDir {
		at.dir = scratch.Join("another-name-of-the-package-folder")
		// os.Getwd believes PWD where it leads to the same folder.
		at.env = append([]string{"PWD=" + at.dir}, p.Env...)
		return at, os.Symlink(dir, at.dir)
	}
	return at, nil
}
