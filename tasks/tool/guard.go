package tool

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// guardScript waits until its standard input, a pipe whose other end only this
// process holds, is closed, which the kernel does however this process dies. Then
// it kills its own process group. It ignores the signals that a terminal or a
// supervisor sends to groups, for it has to outlive whatever they end.
const guardScript = `trap "" HUP INT QUIT TERM; read -r _; kill -KILL 0`

// deathPoll and deathTimeout are for the moment between a SIGKILL and the end of
// the process that it hits, which is short unless that process is in the kernel.
const (
	deathPoll    = time.Millisecond
	deathTimeout = 10 * time.Second
)

// A guard is the leader of a child's process group. Two things follow: the group
// outlives no death of this process, and, because the leader is not waited for
// before the end, the group's number is not given to anybody else meanwhile.
type guard struct {
	cmd  *exec.Cmd
	pipe *os.File
}

func startGuard() (*guard, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = read.Close() }()
	cmd := &exec.Cmd{
		Path:        "/bin/sh",
		Args:        []string{"sh", "-c", guardScript},
		Env:         []string{},
		Dir:         "/",
		Stdin:       read,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if err := cmd.Start(); err != nil {
		_ = write.Close()
		return nil, fmt.Errorf("guard of the process group: %w", err)
	}
	return &guard{cmd: cmd, pipe: write}, nil
}

func (g *guard) group() int { return g.cmd.Process.Pid }

// kill kills the group, guard included.
func (g *guard) kill() {
	// The one error, ESRCH, says that there is nothing left to kill.
	_ = syscall.Kill(-g.group(), syscall.SIGKILL)
}

// finish kills the group and returns once nothing of it runs.
func (g *guard) finish() error {
	g.kill()
	_ = g.cmd.Wait() // always "signal: killed"
	_ = g.pipe.Close()
	for deadline := time.Now().Add(deathTimeout); ; time.Sleep(deathPoll) {
		// ESRCH is the quick answer. Without it there may only be zombies, which
		// wait for an init that never collects them, as in many containers.
		if syscall.Kill(-g.group(), 0) == syscall.ESRCH {
			return nil
		}
		alive, err := members(g.group())
		if err != nil || len(alive) == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v survive SIGKILL for %v", alive, deathTimeout)
		}
	}
}
