package tool

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// memoryPoll is how often the memory of a limited group is summed. One sum reads
// /proc/PID/stat of every process of the machine, some milliseconds on a busy one.
const memoryPoll = 300 * time.Millisecond

// A Child is a started program.
type Child struct {
	command Command
	streams *streams

	cmd   *exec.Cmd
	guard *guard
	// done is closed when nothing of the group runs any more and err is set.
	done chan struct{}
	err  error

	mu    sync.Mutex
	cause error // why the group was killed
}

// Pid is the process number of the program itself.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Done is closed when the program has ended and nothing of its group runs.
func (c *Child) Done() <-chan struct{} { return c.done }

// Wait waits for the program's end and tells of it as Run does. It may be called
// any number of times.
func (c *Child) Wait() error {
	<-c.done
	return c.err
}

// State waits for the program's end and returns its exit status, and the
// processor time of the program and of those of its children that it waited for.
func (c *Child) State() *os.ProcessState {
	<-c.done
	return c.cmd.ProcessState
}

// Stop asks the program itself to end, by sig, and kills its group when it has
// not ended within grace. The error tells how it ended, as Wait does: a program
// that obeys may well report the signal.
func (c *Child) Stop(sig syscall.Signal, grace time.Duration) error {
	// The one error, os.ErrProcessDone, says that there is nothing to stop.
	_ = c.cmd.Process.Signal(sig)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-timer.C:
		c.kill(&TimeoutError{Limit: grace})
	}
	return c.Wait()
}

// kill ends the group; the first cause is the one that is told.
func (c *Child) kill(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		c.cause = cause
	}
	if c.guard != nil {
		c.guard.kill()
	}
}

// live starts the child, reports that on started, and sees it through to its end.
// It keeps its thread: the kernel sends PR_SET_PDEATHSIG's signal when the thread
// that forked ends, not the process (golang.org/issue/27505), and the processor
// affinity that a child inherits is the thread's.
func (c *Child) live(ctx context.Context, started chan<- error) {
	runtime.LockOSThread()
	if err := c.start(); err != nil {
		started <- err
		return
	}
	c.streams.release()
	watched := make(chan struct{})
	exited := make(chan struct{})
	go func() {
		defer close(watched)
		c.watch(ctx, exited)
	}()
	started <- nil

	waitErr := c.cmd.Wait()
	close(exited)
	<-watched
	finishErr := c.finish()
	closeErr := c.streams.close()
	c.err = errors.Join(c.failure(waitErr), finishErr, closeErr)
	close(c.done)
}

// start starts the guard and the program, both on the command's processors.
func (c *Child) start() error {
	if len(c.command.CPUs) == 0 {
		return c.fork()
	}
	var before, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return os.NewSyscallError("sched_getaffinity", err)
	}
	for _, cpu := range c.command.CPUs {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return os.NewSyscallError("sched_setaffinity", err)
	}
	err := c.fork()
	// The thread may be the process's first, which a locked goroutine's end parks
	// instead of destroying it, and whose affinity others read as the process's.
	restoreErr := os.NewSyscallError("sched_setaffinity", unix.SchedSetaffinity(0, &before))
	if err == nil && restoreErr != nil {
		c.kill(restoreErr)
	}
	return err
}

func (c *Child) fork() error {
	g, err := startGuard()
	if err != nil {
		return err
	}
	arg0 := c.command.Arg0
	if arg0 == "" {
		arg0 = c.command.Path
	}
	c.cmd = &exec.Cmd{
		Path: c.command.Path,
		Args: append([]string{arg0}, c.command.Args...),
		// os/exec takes nil for "inherit everything".
		Env:        append([]string{}, c.command.Env...),
		Dir:        c.command.Dir,
		Stdin:      c.streams.stdin,
		Stdout:     c.streams.stdout,
		Stderr:     c.streams.stderr,
		ExtraFiles: c.command.Files,
		SysProcAttr: &syscall.SysProcAttr{
			Setpgid: true,
			Pgid:    g.group(),
			// For the moment in which the guard is already gone and the child has
			// not yet joined its group.
			Pdeathsig: syscall.SIGKILL,
		},
	}
	if err := c.cmd.Start(); err != nil {
		return errors.Join(err, g.finish())
	}
	c.guard = g
	return nil
}

// watch kills the group when the context ends or a limit is passed.
func (c *Child) watch(ctx context.Context, exited <-chan struct{}) {
	var timeout, poll <-chan time.Time
	if c.command.Timeout > 0 {
		timer := time.NewTimer(c.command.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	if c.command.MaxRSS > 0 {
		ticker := time.NewTicker(memoryPoll)
		defer ticker.Stop()
		poll = ticker.C
	}
	for {
		select {
		case <-exited:
			return
		case <-ctx.Done():
			c.kill(cancellation(ctx))
			return
		case <-timeout:
			c.kill(&TimeoutError{Limit: c.command.Timeout})
			return
		case <-poll:
			seen, err := residentBytes(c.guard.group())
			if err != nil {
				c.kill(err)
				return
			}
			if seen > c.command.MaxRSS {
				c.kill(&MemoryError{Limit: c.command.MaxRSS, Seen: seen})
				return
			}
		}
	}
}

// finish ends the group for good; after it kill does nothing, for the group's
// number may then be another's.
func (c *Child) finish() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.guard
	c.guard = nil
	return g.finish()
}

// failure tells why the program did not succeed, or nil.
func (c *Child) failure(waitErr error) error {
	if waitErr == nil {
		return nil
	}
	if c.cmd.ProcessState == nil {
		return waitErr
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &Error{
		Path:     c.command.Path,
		Args:     c.command.Args,
		ExitCode: c.cmd.ProcessState.ExitCode(),
		Cause:    c.cause,
		Output:   c.streams.excerpt.String(),
		Log:      c.command.Log,
	}
	if status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.Signal = status.Signal()
	}
	return e
}
