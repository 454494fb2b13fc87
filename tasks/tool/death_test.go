package tool_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/perfpin/perfpin/tasks/tool"
)

// roleVariable makes the test binary play a process of the tests in this file.
const roleVariable = "PERFPIN_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(m.Run())
	case "launcher":
		os.Exit(playLauncher(os.Args[1:]))
	case "runner":
		os.Exit(playRunner())
	}
}

// playRunner runs a program with a grandchild and tells how it ended.
func playRunner() int {
	ctx, stop := tool.WithInterrupt(context.Background())
	defer stop()
	c := shell("echo runner $PPID; echo child $$; sleep 1000 & echo grandchild $!; wait")
	c.Stdout = os.Stdout
	err := c.Run(ctx)
	fmt.Println("ended", ctx.Err() != nil, context.Cause(ctx))
	if err == nil {
		return 0
	}
	return 1
}

// playLauncher starts the first of argv with the others, as go does with mage.
func playLauncher(argv []string) int {
	fmt.Println("launcher", os.Getpid())
	role := "launcher"
	if len(argv) == 1 {
		role = "runner"
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return 1
	}
	return 0
}

// A scene is a chain of processes that end in one tool.Run.
type scene struct {
	mu    *sync.Mutex
	pids  map[string]string // by role; of launchers, the first
	lines *bufio.Scanner
}

// play starts the test binary under each of the names in turn, the first starting
// the second and so on; the last one runs the program.
func play(t *testing.T, names ...string) scene {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var argv []string
	for _, name := range names {
		path := filepath.Join(dir, name)
		copyFile(t, self, path)
		argv = append(argv, path)
	}
	role := "launcher"
	if len(argv) == 1 {
		role = "runner"
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := scene{mu: &sync.Mutex{}, pids: map[string]string{}, lines: bufio.NewScanner(out)}
	// Without it a scene that does not end would never close its output.
	curtain := time.AfterFunc(patience, s.clear)
	t.Cleanup(func() {
		curtain.Stop()
		s.clear()
		_ = cmd.Wait()
	})
	for s.pids["grandchild"] == "" && s.lines.Scan() {
		role, pid, _ := strings.Cut(s.lines.Text(), " ")
		s.mu.Lock()
		if s.pids[role] == "" {
			s.pids[role] = pid
		}
		s.mu.Unlock()
	}
	if s.pids["runner"] == "" || s.pids["child"] == "" || s.pids["grandchild"] == "" {
		t.Fatalf("the processes are %v", s.pids)
	}
	return s
}

// clear kills whatever of the scene still runs.
func (s scene) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, pid := range s.pids {
		if n, err := strconv.Atoi(pid); err == nil && alive(pid) {
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Link(from, to); err == nil {
		return
	}
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o777); err != nil {
		t.Fatal(err)
	}
}

func (s scene) kill(t *testing.T, role string, signal syscall.Signal) {
	t.Helper()
	pid, err := strconv.Atoi(s.pids[role])
	if err != nil {
		t.Fatalf("%s: %v", role, err)
	}
	if err := syscall.Kill(pid, signal); err != nil {
		t.Fatalf("%s: %v", role, err)
	}
}

// requireEnd waits until every process of the roles is dead.
func (s scene) requireEnd(t *testing.T, roles ...string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for _, role := range roles {
		for alive(s.pids[role]) {
			if time.Now().After(deadline) {
				t.Fatalf("%s is alive", role)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// ending returns what the runner says last.
func (s scene) ending() string {
	for s.lines.Scan() {
		if text, found := strings.CutPrefix(s.lines.Text(), "ended "); found {
			return text
		}
	}
	return ""
}

func TestOwnDeathEndsEverything(t *testing.T) {
	s := play(t, "runner")
	s.kill(t, "runner", syscall.SIGKILL)
	s.requireEnd(t, "runner", "child", "grandchild")
}

func TestInterrupt(t *testing.T) {
	for signal, want := range map[syscall.Signal]string{
		syscall.SIGINT:  "true interrupt signal received",
		syscall.SIGTERM: "true terminated signal received",
	} {
		s := play(t, "runner")
		s.kill(t, "runner", signal)
		if got := s.ending(); got != want {
			t.Errorf("%v: got %q, want %q", signal, got, want)
		}
		s.requireEnd(t, "runner", "child", "grandchild")
	}
}

func TestLauncherDeath(t *testing.T) {
	for _, chain := range [][]string{{"mage", "runner"}, {"go", "mage", "runner"}} {
		s := play(t, chain...)
		s.kill(t, "launcher", syscall.SIGKILL)
		want := "true " + chain[0] + ", which started this process, has died"
		if got := s.ending(); got != want {
			t.Errorf("%v: got %q, want %q", chain, got, want)
		}
		s.requireEnd(t, "runner", "child", "grandchild")
	}
}

func TestOtherParentMayDie(t *testing.T) {
	s := play(t, "bash", "runner")
	s.kill(t, "launcher", syscall.SIGKILL)
	s.requireEnd(t, "launcher")
	// Long enough for several looks at the launchers.
	time.Sleep(time.Second)
	if !alive(s.pids["runner"]) || !alive(s.pids["grandchild"]) {
		t.Error("the death of a shell ended the run")
	}
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if err := (tool.Command{Path: "/bin/true"}).Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPlainExec(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	const runs = 50
	failures := make(chan error, runs)
	for i := range runs {
		go func() {
			var out bytes.Buffer
			c := shell(fmt.Sprintf("echo %d; sleep 1000 & exit 0", i))
			c.Stdout = &out
			err := c.Run(context.Background())
			if err == nil && out.String() != fmt.Sprintf("%d\n", i) {
				err = fmt.Errorf("run %d: got %q", i, out.String())
			}
			failures <- err
		}()
	}
	for range runs {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
}
