package tasks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/atomicfile"
	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/gobench"
	"github.com/perfpin/perfpin/tasks/gocommand"
	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/tool"
	"github.com/perfpin/perfpin/tasks/wallclock"
)

// Bench times the benchmarks by the clock, as go test -bench does, keeps the results or compares them with kept ones; it never gates.
func Bench(ctx context.Context,
	save *string, // keep the results under this name
	baseline *string, // compare with the results of this name
	bench *string, // only these benchmarks, as for go test -bench
	packages *string, // only these packages, as ./wire,./internal/...
	repeats *int, // how often each benchmark is timed; default 10
	benchtime *time.Duration, // how long each benchmark is timed; default 1s
	tags *string, // build tags
	env *string, // NAME=VALUE;… for builds and benches
) error {
	t, err := readTiming(bench, packages, repeats, benchtime, tags, env)
	for _, name := range []*string{save, baseline} {
		if name != nil {
			err = errors.Join(err, checkName(*name))
		}
	}
	if err != nil {
		return err
	}
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	if t.root, err = gocommand.CurrentModule(); err != nil {
		return err
	}
	var before *wallclock.Set
	if baseline != nil {
		// Before the minutes that the timing takes.
		if before, err = t.load(*baseline); err != nil {
			return err
		}
	}
	c := newConsole()
	text, err := t.run(ctx, c.progress)
	if err != nil {
		return err
	}
	name := "now"
	if save != nil {
		name = *save
		if err := atomicfile.Write(t.path(name), text); err != nil {
			return err
		}
	}
	after, err := wallclock.Read(name, text)
	if err != nil || before == nil {
		return err
	}
	return report.Clock(c.out, wallclock.Compare(before, after))
}

// A timing is what is timed and how.
type timing struct {
	root string
	args []string // of go test
	// packages are patterns; none means the module's default.
	packages []string
	pass     []string
}

func readTiming(bench, packages *string, repeats *int, benchtime *time.Duration, tags, env *string) (timing, error) {
	count := 10
	err := positive("repeats", repeats, &count)
	t := timing{args: []string{"test", "-run=^$", "-benchmem", "-count=" + strconv.Itoa(count)}}
	pattern := "."
	if bench != nil {
		pattern = *bench
	}
	t.args = append(t.args, "-bench="+pattern)
	if benchtime != nil {
		if *benchtime <= 0 {
			err = errors.Join(err, fmt.Errorf("-benchtime=%v: want more than 0", *benchtime))
		}
		t.args = append(t.args, "-benchtime="+benchtime.String())
	}
	if tags != nil {
		t.args = append(t.args, "-tags="+*tags)
	}
	var passErr, packagesErr error
	t.pass, passErr = readPass(env)
	t.packages, packagesErr = readPatterns(packages)
	return t, errors.Join(err, passErr, packagesErr)
}

// run runs the benchmarks and returns their results, with what they depend on. What
// go test prints is shown as it comes.
func (t timing) run(ctx context.Context, show io.Writer) ([]byte, error) {
	goTool, err := tool.Find("go", "apt-get install golang-go")
	if err != nil {
		return nil, err
	}
	environment := append(cleanenv.Query(os.Environ()), t.pass...)
	var version bytes.Buffer
	query := tool.Command{Path: goTool, Args: []string{"env", "GOVERSION"}, Dir: t.root, Env: environment, Stdout: &version}
	if err := query.Run(ctx); err != nil {
		return nil, err
	}
	here := machine.Here()
	var text bytes.Buffer
	fmt.Fprintf(&text, "go: %skernel: %s\nprocessors: %d\n", version.String(), here.Kernel, here.Processors)
	// No "--" stands before the packages: what comes after it goes to the test binaries.
	packages := t.packages
	if len(packages) == 0 {
		packages = gobench.DefaultPatterns(t.root)
	}
	err = tool.Command{
		Path: goTool, Args: slices.Concat(t.args, packages), Dir: t.root, Env: environment,
		Stdout: io.MultiWriter(&text, show), Stderr: show,
	}.Run(ctx)
	return text.Bytes(), err
}

func (t timing) path(name string) string {
	return filepath.Join(t.root, "target", "bench", name+".txt")
}

// load reads kept results.
func (t timing) load(name string) (*wallclock.Set, error) {
	text, err := os.ReadFile(t.path(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("-baseline=%s: no such results: %s\nhint: go tool mage bench -save=%s", name, t.kept(), name)
	}
	if err != nil {
		return nil, err
	}
	return wallclock.Read(name, text)
}

// kept tells which results there are.
func (t timing) kept() string {
	// The pattern is well formed.
	paths, _ := fs.Glob(os.DirFS(t.root), "target/bench/*.txt")
	if len(paths) == 0 {
		return "there are none"
	}
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(path), ".txt")
	}
	return "there are " + strings.Join(paths, ", ")
}

// checkName refuses what is no plain file name.
func checkName(name string) error {
	for _, c := range name {
		if c != '-' && c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return fmt.Errorf("%q: is no name: it has %q", name, c)
		}
	}
	if strings.Trim(name, ".") == "" || name[0] == '.' {
		return fmt.Errorf("%q: is no name", name)
	}
	return nil
}
