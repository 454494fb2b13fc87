package gobench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// A Bench is one benchmark.
type Bench struct {
	Binary Binary
	// Name is as package testing prints it: "BenchmarkDecode/large".
	Name string
	// Key is its name in budgets.toml: "internal/wire.Decode/large".
	Key string
	// Command is the program that a benchmark of a whole command runs, and nil for
	// any other.
	Command *Command
	// Skipped tells that it called b.Skip.
	Skipped bool
	// Err tells why it cannot be counted.
	Err error
}

// A Command is a program that package cmdbench measures.
type Command struct {
	// Package is the Go package that is its source, or "" for any other program.
	// Program is its path.
	Package, Program string
	// Static tells that it needs no C library.
	Static bool
}

// Static tells that what is counted needs no C library: the command, or the test
// binary where there is none.
func (b Bench) Static() bool {
	if b.Command != nil {
		return b.Command.Static
	}
	return b.Binary.Static
}

// Limits bound one process.
type Limits struct {
	// Time is the longest that it may run, Memory the most resident bytes that it
	// and its children may have; 0 means no limit.
	Time   time.Duration
	Memory int64
}

// List returns the benchmarks of a test binary, sub-benchmarks in the place of
// their parents, in the order in which they run. It runs each for one iteration,
// natively, because only a running benchmark tells its sub-benchmarks.
//
// A benchmark that fails, panics, exits or passes a limit is returned with an Err
// and costs no other its place.
func List(ctx context.Context, binary Binary, pass []string, limits Limits) ([]Bench, error) {
	l := lister{binary: binary, pass: pass, limits: limits}
	benches, err := l.list(ctx, ".")
	if err == nil || ctx.Err() != nil {
		return benches, err
	}
	// Something ended the process. Each benchmark in a process of its own tells which.
	names, namesErr := l.names(ctx)
	if namesErr != nil || len(names) == 0 {
		return nil, errors.Join(err, namesErr)
	}
	benches = nil
	for _, name := range names {
		found, err := l.list(ctx, ExactPattern(name))
		if ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			found = blame(found, Bench{Binary: binary, Name: name, Key: key(binary.Package, name)}, err)
		}
		benches = append(benches, found...)
	}
	return benches, nil
}

type lister struct {
	binary Binary
	pass   []string
	limits Limits
}

// list returns the benchmarks that match pattern and were reported, and an error
// where the process did not end well.
func (l lister) list(ctx context.Context, pattern string) ([]Bench, error) {
	scratch, err := NewScratch()
	if err != nil {
		return nil, err
	}
	defer scratch.Remove()
	reports, err := os.Create(scratch.Join("reports"))
	if err != nil {
		return nil, err
	}
	defer reports.Close()
	runErr := l.run(ctx, scratch, Args(pattern, 1), reports, nil)
	all, err := ReadReports(reports)
	if err != nil {
		return nil, errors.Join(runErr, err)
	}
	var benches []Bench
	var command *Command
	for _, r := range all {
		if r.Outcome == "command" {
			// The report of the benchmark itself is the next.
			command = &Command{Package: r.Package, Program: r.Program}
			continue
		}
		bench := Bench{Binary: l.binary, Name: r.Name, Key: key(l.binary.Package, r.Name), Skipped: r.Outcome == "skipped"}
		if r.Outcome == "failed" {
			bench.Err = runErr
		}
		bench.Command, command = command, nil
		benches = append(benches, bench)
	}
	return benches, runErr
}

// names returns the names of the top-level benchmarks.
func (l lister) names(ctx context.Context) ([]string, error) {
	scratch, err := NewScratch()
	if err != nil {
		return nil, err
	}
	defer scratch.Remove()
	var out bytes.Buffer
	if err := l.run(ctx, scratch, []string{"-test.list=^Benchmark"}, nil, &out); err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(out.String()) {
		// A TestMain may print too.
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "Benchmark") && !strings.ContainsAny(line, " \t") {
			names = append(names, line)
		}
	}
	return names, nil
}

// run runs the test binary. What it prints goes to out; where that is nil, its end goes
// into the error.
func (l lister) run(ctx context.Context, scratch Scratch, args []string, reports *os.File, out io.Writer) error {
	pass := l.pass
	var files []*os.File
	if reports != nil {
		pass = append(Environment("list"), pass...)
		files = []*os.File{reports}
	}
	program, err := scratch.Program(l.binary.Path)
	if err != nil {
		return err
	}
	err = tool.Command{
		Path: program, Args: args, Dir: l.binary.Package.Dir,
		Stdout: out, Files: files,
		Env:     cleanenv.Measured(scratch.Tmp(), pass),
		Timeout: l.limits.Time, MaxRSS: l.limits.Memory,
	}.Run(ctx)
	return ProcessError(err, scratch)
}

// ProcessError makes the error of a measured process one that says nothing of its
// scratch folder, which is gone when somebody reads it.
func ProcessError(err error, scratch Scratch) error {
	var failed *tool.Error
	if !errors.As(err, &failed) || errors.Is(err, context.Canceled) {
		return err
	}
	how := fmt.Sprintf("exit status %d", failed.ExitCode)
	if failed.Signal != 0 {
		how = fmt.Sprintf("ended by signal %d (%v)", int(failed.Signal), failed.Signal)
	}
	if failed.Cause != nil {
		how = failed.Cause.Error()
	}
	output := strings.TrimSpace(scratch.Strip(failed.Output))
	if output == "" {
		return errors.New(how)
	}
	return fmt.Errorf("%s\n%s", how, output)
}

// blame gives the process's error to the benchmarks that reported their failure,
// and to all of the top-level one where none did. A parent of one that failed has
// failed for that reason only.
func blame(found []Bench, all Bench, err error) []Bench {
	var kept []Bench
	blamed := false
	for _, bench := range found {
		if bench.Err != nil && !blamed {
			blamed = true
		} else if bench.Err != nil && isParent(bench.Name, found) {
			continue
		}
		kept = append(kept, bench)
	}
	if !blamed {
		all.Err = err
		kept = append(kept, all)
	}
	return kept
}

func isParent(name string, benches []Bench) bool {
	for _, bench := range benches {
		if strings.HasPrefix(bench.Name, name+"/") {
			return true
		}
	}
	return false
}

// key returns the benchmark's name in budgets.toml.
func key(pkg Package, name string) string {
	return pkg.Key + "." + strings.TrimPrefix(name, "Benchmark")
}
