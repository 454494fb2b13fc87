package tool

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// launcherPoll is how soon the death of a launcher is noticed.
const launcherPoll = 100 * time.Millisecond

// WithInterrupt returns a context that ends on SIGINT, on SIGTERM, and when a
// launcher of this process dies; context.Cause tells which. Mage handles SIGINT
// alone, and a launcher killed by SIGKILL passes nothing on.
//
// The launchers are the unbroken chain of parents that are the go command or
// mage, as in go → mage → the compiled magefile. Any other parent, a shell above
// all, is free to end first, as with nohup.
//
// After the first signal the former handling is back, so that a second one ends a
// process that hangs in its cleanup.
//
// What this process was told to ignore, as SIGHUP is under nohup, it still
// ignores, but the programs that it starts meanwhile do not.
func WithInterrupt(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stopSignals := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stopSignals)
	stopHangups := swallowHangups()
	ctx, cancel := context.WithCancelCause(ctx)
	if chain := launchers(); len(chain) > 0 {
		go watchLaunchers(ctx, chain, cancel)
	}
	return ctx, func() {
		cancel(nil)
		stopSignals()
		stopHangups()
	}
}

// swallowHangups catches SIGHUP and does nothing where it is ignored. A program
// inherits what is ignored and not what is caught, and a Go program that inherits
// it starts some instructions sooner: it installs one handler less. The programs
// are in process groups of their own, which a terminal does not hang up.
func swallowHangups() (stop func()) {
	if !signal.Ignored(syscall.SIGHUP) {
		return func() {}
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	return func() { signal.Stop(hangups) }
}

// A launcher is a process that started this one, directly or not.
type launcher struct {
	name  string
	pid   int
	start string
}

func (l launcher) alive() bool {
	s, err := readStat(l.pid)
	return err == nil && s.start == l.start && !s.dead()
}

// launchers returns the chain of launchers, nearest first.
func launchers() []launcher {
	var chain []launcher
	for pid := os.Getppid(); pid > 1; {
		// What cannot be read, another user's process for instance, is not watched.
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if err != nil {
			break
		}
		// The kernel marks a program whose file is gone, as that of `go run` may be.
		name := filepath.Base(strings.TrimSuffix(exe, " (deleted)"))
		s, err := readStat(pid)
		if err != nil || (name != "go" && name != "mage") {
			break
		}
		chain = append(chain, launcher{name: name, pid: pid, start: s.start})
		pid = s.parent
	}
	return chain
}

func watchLaunchers(ctx context.Context, chain []launcher, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(launcherPoll)
	defer ticker.Stop()
	for {
		for _, l := range chain {
			if !l.alive() {
				cancel(fmt.Errorf("%s, which started this process, has died", l.name))
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
