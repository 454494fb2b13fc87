// Package cmdbench makes a benchmark of a whole command: what it costs to start a
// program, let it do its work and see it exit.
//
//	func BenchmarkHelp(b *testing.B) {
//		cmdbench.Run(b, cmdbench.Command{Package: "example.com/app/cmd/app", Args: []string{"-help"}, ExitStatus: 2})
//	}
//
// Under go test -bench the command is timed like anything else. Under mage perf it
// is counted: the command alone, its loader and run time included, while the
// benchmark itself runs natively. Children of the command run natively and are not
// counted.
//
// The package imports nothing but the standard library, so that a benchmark that
// uses it brings nothing else along.
package cmdbench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A Command is a command to be measured. Just one of Package and Program is set.
type Command struct {
	// Package is the import path of a Go program, which is built before it is run.
	Package string
	// Program is any other program, found on PATH where it is no path. What it does
	// at random varies, and so may its counts.
	Program string
	// Args are the arguments after the program's name.
	Args []string
	// Stdin is what the command reads from its standard input.
	Stdin string
	// Env is added to the environment, as NAME=VALUE.
	Env []string
	// Dir is the working directory, relative to the package's folder. Empty means a
	// new folder for each run, which is removed after it.
	Dir string
	// ExitStatus is the one that the command must exit with.
	ExitStatus int
	// Prepare, where it is set, writes what the command needs into its working
	// directory, before each run and outside of the measurement. The files that it
	// writes get one fixed modification time.
	Prepare func(dir string) error
	// Converse, where it is set, is called while the command runs and reads what it
	// prints on both streams, as a client that waits for a server to listen would.
	// The command is killed when it fails.
	Converse func(output io.Reader) error
}

// Run measures the command: b.N runs when it is timed, one when it is counted. Any
// other exit status than the expected one, a signal, or an error of Prepare or
// Converse fails the benchmark and shows what the command printed.
func Run(b *testing.B, c Command) {
	b.Helper()
	if (c.Package == "") == (c.Program == "") {
		b.Fatalf("cmdbench: command: got Package %q and Program %q, want just one", c.Package, c.Program)
	}
	switch os.Getenv(modeVariable) {
	case "list":
		if err := announce(b.Name(), c); err != nil {
			b.Fatal(err)
		}
	case "command":
		if err := count(b.Name(), c); err != nil {
			b.Fatal(err)
		}
	default:
		timeRuns(b, c)
	}
}

func timeRuns(b *testing.B, c Command) {
	b.Helper()
	program, err := c.build(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		r, err := c.prepare()
		if err != nil {
			b.Fatal(err)
		}
		cmd := exec.Command(program, c.Args...)
		cmd.Env = append(os.Environ(), c.Env...)
		b.StartTimer()
		err = r.run(cmd)
		b.StopTimer()
		if err := errors.Join(err, r.remove()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// build returns the program's path. The settings are those of a counted build,
// except that the toolchain is not edited.
func (c Command) build(dir string) (string, error) {
	if c.Program != "" {
		return exec.LookPath(c.Program)
	}
	program := filepath.Join(dir, "command")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-w", "-o", program, c.Package)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: build: %w\n%s", c.Package, err, out)
	}
	return program, nil
}

// A run is one run of a command.
type run struct {
	command Command
	dir     string
	own     bool // dir is removed afterwards
}

func (c Command) prepare() (run, error) {
	r := run{command: c, dir: c.Dir}
	if c.Dir == "" {
		dir, err := os.MkdirTemp("", "command")
		if err != nil {
			return run{}, err
		}
		r.dir, r.own = dir, true
	}
	if c.Prepare == nil {
		return r, nil
	}
	if err := c.Prepare(r.dir); err != nil {
		return run{}, errors.Join(fmt.Errorf("%s: prepare: %w", c.name(), err), r.remove())
	}
	if !r.own {
		return r, nil
	}
	// Formatting a time costs by its digits.
	fixed := time.Unix(1_000_000_000, 0)
	return r, filepath.WalkDir(r.dir, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, fixed, fixed))
	})
}

func (r run) remove() error {
	if !r.own {
		return nil
	}
	return os.RemoveAll(r.dir)
}

// run runs the command and checks how it ends.
func (r run) run(cmd *exec.Cmd) error {
	cmd.Dir = r.dir
	if r.command.Stdin != "" {
		cmd.Stdin = bytes.NewReader([]byte(r.command.Stdin))
	}
	var output bytes.Buffer
	var err error
	if r.command.Converse == nil {
		cmd.Stdout, cmd.Stderr = &output, &output
		err = cmd.Run()
	} else {
		err = r.converse(cmd, &output)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("%s: %w\n%s", r.command.name(), err, output.Bytes())
	}
	if got := cmd.ProcessState.ExitCode(); got != r.command.ExitStatus {
		return fmt.Errorf("%s: %v, want exit status %d\n%s", r.command.name(), cmd.ProcessState, r.command.ExitStatus, output.Bytes())
	}
	return nil
}

func (r run) converse(cmd *exec.Cmd, output *bytes.Buffer) error {
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reader.Close()
	cmd.Stdout, cmd.Stderr = writer, writer
	err = cmd.Start()
	writer.Close()
	if err != nil {
		return err
	}
	tee := io.TeeReader(reader, output)
	if err := r.command.Converse(tee); err != nil {
		cmd.Process.Kill()
		return errors.Join(fmt.Errorf("converse: %w", err), cmd.Wait())
	}
	// The command must not block on a full pipe.
	_, copyErr := io.Copy(io.Discard, tee)
	return errors.Join(cmd.Wait(), copyErr)
}

func (c Command) name() string { return c.Package + c.Program }
