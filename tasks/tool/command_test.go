package tool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/perfpin/perfpin/tasks/tool"
)

// patience is how long a test waits for what must happen. It is no measurement.
const patience = 3 * time.Minute

func shell(script string) tool.Command {
	return tool.Command{
		Path: "/bin/sh",
		Args: []string{"-c", script},
		Env:  []string{"PATH=/usr/bin:/bin"},
	}
}

func TestRunPassesEverything(t *testing.T) {
	dir := t.TempDir()
	extra := filepath.Join(dir, "extra")
	if err := os.WriteFile(extra, []byte("from fd 3"), 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(extra)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out, errOut bytes.Buffer
	c := shell(`echo "$0|$1|$(pwd)|$A|$(cat)|$(cat <&3)"; echo oops >&2; env | grep -v -e ^PWD= -e ^_=`)
	c.Args = append(c.Args, "name", "$HOME *")
	c.Dir = dir
	c.Env = append(c.Env, "A=b c")
	c.Stdin = strings.NewReader("from stdin")
	c.Stdout, c.Stderr = &out, &errOut
	c.Files = []*os.File{file}
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "name|$HOME *|" + dir + "|b c|from stdin|from fd 3\n"
	got, env, _ := strings.Cut(out.String(), "\n")
	if got+"\n" != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if errOut.String() != "oops\n" {
		t.Errorf("stderr: got %q", errOut.String())
	}
	for line := range strings.Lines(env) {
		name, _, _ := strings.Cut(line, "=")
		if name != "PATH" && name != "A" && name != "OLDPWD" && name != "SHLVL" {
			t.Errorf("variable %q was inherited", line)
		}
	}
}

func TestRunInheritsNoEnvironment(t *testing.T) {
	t.Setenv("LEAK", "yes")
	var out bytes.Buffer
	err := tool.Command{Path: "/usr/bin/env", Stdout: &out}.Run(t.Context())
	if err != nil || out.Len() != 0 {
		t.Errorf("environment %q, error %v", out.String(), err)
	}
}

func TestRunUsesArg0(t *testing.T) {
	var out bytes.Buffer
	c := tool.Command{Path: "/bin/sh", Arg0: "constant", Args: []string{"-c", "tr '\\0' ' ' </proc/$$/cmdline"}, Stdout: &out,
		Env: []string{"PATH=/usr/bin:/bin"}}
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "constant ") {
		t.Errorf("command line %q", out.String())
	}
}

func TestFailureShowsTailThenOneLine(t *testing.T) {
	log := filepath.Join(t.TempDir(), "logs", "build.log")
	first := shell("echo earlier run")
	first.Log = log
	if err := first.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := shell("i=0; while [ $i -lt 1000 ]; do i=$((i+1)); echo line $i; done; echo the cause >&2; exit 7")
	c.Args = append(c.Args, strings.Repeat("x", 500))
	c.Log = log
	err := c.Run(t.Context())
	var failure *tool.Error
	if !errors.As(err, &failure) {
		t.Fatalf("got %T %v", err, err)
	}
	if failure.ExitCode != 7 || failure.Signal != 0 || failure.Cause != nil {
		t.Errorf("got %+v", failure)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || lines[0] != "line 982" || lines[19] != "the cause" {
		t.Errorf("the tail is %q", lines[:len(lines)-1])
	}
	last := lines[len(lines)-1]
	if !strings.HasPrefix(last, "/bin/sh: -c i=0;") || !strings.HasSuffix(last, "…: exit status 7 (log: "+log+")") {
		t.Errorf("the line is %q", last)
	}
	written, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(written, []byte("\n")); n != 1002 {
		t.Errorf("the log holds %d lines, want 1002", n)
	}
}

func TestFailureWithoutLogShowsBothEnds(t *testing.T) {
	for script, want := range map[string]string{
		"echo why; exit 1":                      "why",
		"exit 1":                                "",
		"printf 'no line feed'; exit 1":         "no line feed",
		"seq 30; exit 1":                        numbers(1, 30),
		"seq 31; exit 1":                        numbers(1, 10) + "\n… lines left out: 1 …\n" + numbers(12, 31),
		"seq 100000; exit 1":                    numbers(1, 10) + "\n… lines left out: 99970 …\n" + numbers(99981, 100000),
		"printf %010000d 7; seq 2; exit 1":      strings.Repeat("0", 2<<10) + "\n… lines left out: 1 …\n2",
		"seq 2; printf '%010000d\\n' 7; exit 1": "1\n2\n" + strings.Repeat("0", 2<<10-4) + "\n… lines left out: 0 …\n" + strings.Repeat("0", 4<<10-2) + "7",
	} {
		err := shell(script).Run(t.Context())
		var failure *tool.Error
		if !errors.As(err, &failure) || failure.Output != want {
			t.Errorf("%s: got %v, want %s", script, err, want)
		}
	}
	err := shell("echo why; exit 1").Run(t.Context())
	want := "why\n/bin/sh: -c echo why; exit 1: exit status 1"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// numbers returns what seq prints.
func numbers(from, to int) string {
	var lines []string
	for n := from; n <= to; n++ {
		lines = append(lines, strconv.Itoa(n))
	}
	return strings.Join(lines, "\n")
}

func TestLine(t *testing.T) {
	var got []string
	c := shell("printf 'one\\ntw'; sleep 0.05; printf 'o\\n\\nrest'")
	c.Line = func(line string) { got = append(got, line) }
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"one", "two", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFailureBySignal(t *testing.T) {
	err := shell("kill -SEGV $$").Run(t.Context())
	var failure *tool.Error
	if !errors.As(err, &failure) || failure.Signal != syscall.SIGSEGV || failure.ExitCode != -1 {
		t.Errorf("got %v", err)
	}
}

func TestStartRefuses(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx     context.Context
		command tool.Command
		want    string
	}{
		"a relative path": {t.Context(), tool.Command{Path: "sh"}, "sh: start: the path is not absolute"},
		"no program":      {t.Context(), tool.Command{Path: "/nonexistent/x"}, "no such file"},
		"no such folder":  {t.Context(), tool.Command{Path: "/bin/sh", Dir: "/nonexistent"}, "no such file"},
		"no such cpu":     {t.Context(), tool.Command{Path: "/bin/sh", CPUs: []int{1023}}, "sched_setaffinity"},
		"a log that is a folder": {
			t.Context(), tool.Command{Path: "/bin/sh", Log: t.TempDir()}, "is a directory",
		},
		"an ended context": {canceled, tool.Command{Path: "/bin/sh"}, "context canceled"},
	} {
		err := test.command.Run(test.ctx)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

// The child starts a grandchild that holds its output open and would outlive it.
const leaveGrandchild = `sleep 1000 & echo $!; `

func TestExitEndsGrandchildren(t *testing.T) {
	var out bytes.Buffer
	c := shell(leaveGrandchild + "exit 0")
	c.Stdout = &out
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	requireDead(t, out.String())
}

func TestAllOutputArrives(t *testing.T) {
	for range 20 {
		out := &slow{}
		c := shell("head -c 300000 /dev/zero")
		c.Stdout = out
		if err := c.Run(t.Context()); err != nil || out.n != 300000 {
			t.Errorf("%d bytes arrived, want 300000: %v", out.n, err)
		}
	}
}

// slow is a writer that lets the pipe fill up.
type slow struct{ n int }

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(time.Millisecond)
	s.n += len(p)
	return len(p), nil
}

func TestEscapedProcessDoesNotHoldTheRun(t *testing.T) {
	var out bytes.Buffer
	c := shell("setsid sleep 1000 & echo $!; sleep 0.2")
	c.Stdout = &out
	c.Timeout = patience
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Not our rule's to end, but this test's.
	if pid, err := strconv.Atoi(strings.TrimSpace(out.String())); err != nil || syscall.Kill(pid, syscall.SIGKILL) != nil {
		t.Errorf("the process that left its group is %q", out.String())
	}
}

func TestCancelEndsTheGroup(t *testing.T) {
	cause := errors.New("no longer wanted")
	ctx, cancel := context.WithCancelCause(t.Context())
	out := &notifier{wrote: make(chan struct{})}
	c := shell(`trap "" TERM INT HUP; ` + leaveGrandchild + "wait")
	c.Stdout = out
	child, err := c.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	<-out.wrote
	cancel(cause)
	err = child.Wait()
	var failure *tool.Error
	if !errors.As(err, &failure) || failure.Signal != syscall.SIGKILL ||
		!errors.Is(err, cause) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	requireDead(t, out.text.String())
}

func TestTimeoutEndsTheGroup(t *testing.T) {
	var out bytes.Buffer
	c := shell(leaveGrandchild + "wait")
	c.Stdout = &out
	var err error
	// It needs time enough to say which process to look for.
	for c.Timeout = time.Second; out.Len() == 0 && c.Timeout < patience; c.Timeout *= 2 {
		err = c.Run(t.Context())
	}
	c.Timeout /= 2
	var timeout *tool.TimeoutError
	if !errors.As(err, &timeout) || timeout.Limit != c.Timeout {
		t.Errorf("got %v", err)
	}
	requireDead(t, out.String())
}

func TestMemoryLimitCountsTheGroup(t *testing.T) {
	// A grandchild's memory counts: tail keeps a line without end.
	c := shell("tail -n 1 </dev/zero & wait")
	c.MaxRSS = 64 << 20
	c.Timeout = patience
	err := c.Run(t.Context())
	var memory *tool.MemoryError
	if !errors.As(err, &memory) || memory.Limit != c.MaxRSS || memory.Seen <= memory.Limit {
		t.Errorf("got %v", err)
	}
}

// notifier tells when the first output has arrived.
type notifier struct {
	text  bytes.Buffer
	wrote chan struct{}
}

func (n *notifier) Write(p []byte) (int, error) {
	if n.text.Len() == 0 {
		defer close(n.wrote)
	}
	return n.text.Write(p)
}

// requireDead demands that the processes listed no longer run, at once.
func requireDead(t *testing.T, pids string) {
	t.Helper()
	fields := strings.Fields(pids)
	if len(fields) == 0 {
		t.Error("no process was listed")
	}
	for _, pid := range fields {
		if alive(pid) {
			t.Errorf("process %s is alive", pid)
		}
	}
}

// alive reports whether a process runs: one that is dead but not waited for, which
// nobody does for orphans in some containers, does not.
func alive(pid string) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%s/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}
