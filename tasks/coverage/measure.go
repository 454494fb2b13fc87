package coverage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/perfpin/perfpin/tasks/gocommand"
)

// Options say what is measured.
type Options struct {
	Go       gocommand.Go
	Packages []string // patterns of the packages whose tests run
	// Dir is a folder of this package's own: what is in it is removed.
	Dir string
	// Log is the file that the tests' output goes to, and Line is called with each line.
	Log  string
	Line func(string)
}

// Measure runs the tests once and returns what each tier reaches. Where tests fail, the
// error is gocommand.ErrTests, and what was reached is returned all the same.
func Measure(ctx context.Context, o Options) ([]Reached, error) {
	unit, endToEnd := filepath.Join(o.Dir, "unit"), filepath.Join(o.Dir, "end-to-end")
	err := os.RemoveAll(o.Dir)
	for _, dir := range []string{unit, endToEnd} {
		err = errors.Join(err, os.MkdirAll(dir, 0o777))
	}
	if err != nil {
		return nil, err
	}
	// A test may run its program as somebody else.
	if err := os.Chmod(endToEnd, 0o777); err != nil {
		return nil, err
	}
	exec, err := execEnv(endToEnd)
	if err != nil {
		return nil, err
	}
	profile := unit + ".txt"
	testErr := o.Go.Test(ctx, gocommand.Test{
		Packages: o.Packages,
		Flags: []string{
			"-count=1", // a result from the cache reaches nothing
			"-timeout=30m", "-cover", "-coverpkg=./...",
			// The go command's own profile has the packages too that no test is linked with.
			"-coverprofile=" + profile,
			exec,
		},
		Args: []string{"-test.gocoverdir=" + unit},
		Env: []string{
			// What tests build is built for coverage, too.
			"GOFLAGS=-cover",
			// Mage keeps the programs that it compiles: none for coverage may stay behind.
			"MAGEFILE_CACHE=" + filepath.Join(o.Dir, "mage"),
		},
		Log: o.Log, Line: o.Line,
	})
	if testErr != nil && !errors.Is(testErr, gocommand.ErrTests) {
		return nil, testErr
	}
	unitProfile, err := parseFile(profile)
	endProfile, endErr := o.read(ctx, endToEnd)
	if err := errors.Join(err, endErr); err != nil {
		return nil, errors.Join(testErr, err)
	}
	reached := Join(unitProfile, endProfile)
	if len(reached) == 0 {
		return nil, errors.Join(testErr, errors.New("the tests reach no statement of the module"))
	}
	return reached, testErr
}

// execEnv returns the flag that sets GOCOVERDIR for the test processes: the go command
// gives them one of its own, so this one is set after it. The flag's words may stand in
// quotes of either kind, and there is no escaping (go help build, "-toolexec").
func execEnv(dir string) (string, error) {
	for _, quote := range []string{`"`, "'"} {
		if !strings.Contains(dir, quote) {
			return "-exec=env " + quote + "GOCOVERDIR=" + dir + quote, nil
		}
	}
	return "", fmt.Errorf("%s: coverage cannot be measured below a folder with both kinds of quotes in its name", dir)
}

// read reads what was written into a folder; nothing is an empty profile.
func (o Options) read(ctx context.Context, dir string) (Profile, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	isCounters := func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "covcounters.") }
	if !slices.ContainsFunc(entries, isCounters) {
		return Profile{}, nil
	}
	text := dir + ".txt"
	if err := o.Go.Tool(ctx, "covdata", "textfmt", "-i="+dir, "-o="+text); err != nil {
		return nil, err
	}
	return parseFile(text)
}

// parseFile reads a profile; no file is an empty one.
func parseFile(path string) (Profile, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return Profile{}, nil
	}
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}
