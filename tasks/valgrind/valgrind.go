// Package valgrind fetches, verifies, builds and installs the valgrind that
// benchmarks are counted with.
//
// It is built from source because two places of it are edited, without touching the
// measured program (see edits.go): the sixteen random bytes that programs start
// from are made constant, and a thread that wakes another goes on running. Only
// callgrind is built, and three files of it kept.
package valgrind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/perfpin/perfpin/tasks/tool"
)

// SourceVariable names the environment variable that overrides where the source
// comes from: the path or the http(s) URL of a valgrind-VERSION.tar.bz2.
const SourceVariable = "PERFPIN_VALGRIND_SOURCE"

// A Valgrind is one that can be run.
type Valgrind struct {
	// Path is the absolute path of the program.
	Path string
	// Version is the release, as "3.27.1".
	Version string
	// Lib is the folder with the parts of a valgrind built here, which Env tells it;
	// "" for one from PATH, which knows.
	Lib string
	// Built tells that it was built here, now or earlier.
	Built bool
	// FixedSeed tells that programs get constant bytes as AT_RANDOM.
	FixedSeed bool
	// Why tells why none could be built, where this one is from PATH.
	Why error
}

// Env returns what a run of this valgrind needs in its environment. The measured
// program sees it too, and once more in the LD_PRELOAD that valgrind adds, so that
// the length of Lib moves its counts: one that is counted exactly is better given a
// link to Lib whose path has always the same length.
func (v Valgrind) Env() []string {
	if v.Lib == "" {
		return nil
	}
	return []string{"VALGRIND_LIB=" + v.Lib}
}

// Progress is one step of a bootstrap, reported when it begins and, where the
// step can be measured, as it goes on.
type Progress struct {
	// Step says what is done, as "compile valgrind 3.27.1".
	Step string
	// Done and Total count Unit; Total is 0 where it is unknown.
	Done, Total int64
	// Unit is "bytes" or "files", or "" where nothing is counted.
	Unit string
}

// Ensure returns the valgrind installed in dir, a module's target/tools. It is
// built first when it is missing or was built in another way; two calls at once,
// in one process or two, wait for each other. The log of a build is kept in
// dir/valgrind-build.log. report is called from one goroutine at a time and may be
// nil.
//
// Where it cannot be built, a valgrind on PATH of release 3.19 or newer is
// returned instead, with the reason in its field Why; but not when the context
// has ended, nor when [SourceVariable] names the source: a source that was asked
// for is not passed over.
func Ensure(ctx context.Context, dir string, report func(Progress)) (Valgrind, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Valgrind{}, err
	}
	if report == nil {
		report = func(Progress) {}
	}
	return bootstrap{
		dir:      dir,
		source:   os.Getenv(SourceVariable),
		environ:  os.Environ(),
		releases: accepted(),
		upstream: upstream,
		minFree:  minFree,
		report:   report,
	}.ensure(ctx)
}

// A bootstrap is what Ensure depends on.
type bootstrap struct {
	dir      string // absolute
	source   string // the value of SourceVariable
	environ  []string
	releases []release
	upstream string  // the folder, as a URL, of the releases' archives
	minFree  float64 // bytes
	report   func(Progress)
}

func (b bootstrap) ensure(ctx context.Context) (Valgrind, error) {
	if v, found := b.installed(); found {
		return v, nil
	}
	built, err := b.build(ctx)
	if err == nil {
		return built, nil
	}
	// A program's error begins with the tail of its log, and names the log.
	if failure := (*tool.Error)(nil); !errors.As(err, &failure) {
		err = fmt.Errorf("valgrind: build: %w", err)
	}
	if ctx.Err() != nil || b.source != "" {
		return Valgrind{}, err
	}
	found, pathErr := onPath(ctx)
	if pathErr != nil {
		return Valgrind{}, errors.Join(pathErr, err)
	}
	found.Why = err
	return found, nil
}

// onPath returns the valgrind found on PATH.
func onPath(ctx context.Context) (Valgrind, error) {
	path, err := tool.Find("valgrind", "")
	if err != nil {
		return Valgrind{}, err
	}
	line, err := tool.Version(ctx, path, "--version")
	if err != nil {
		return Valgrind{}, err
	}
	version, found := strings.CutPrefix(line, "valgrind-")
	if !found {
		return Valgrind{}, fmt.Errorf("%s: version: got %q, want valgrind-VERSION", path, line)
	}
	if !recent(version) {
		return Valgrind{}, fmt.Errorf("%s: version: got %s, want %d.%d or newer",
			path, version, oldestMajor, oldestMinor)
	}
	return Valgrind{Path: path, Version: version}, nil
}

// The oldest release that gave the same counts as the ones built here.
const (
	oldestMajor = 3
	oldestMinor = 19
)

// recent reports whether a version, as "3.19.0" or "3.20.0.GIT", is new enough.
func recent(version string) bool {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	major, err := strconv.Atoi(first)
	if err != nil {
		return false
	}
	minor, err := strconv.Atoi(second)
	if err != nil {
		return false
	}
	return major > oldestMajor || major == oldestMajor && minor >= oldestMinor
}
