package throughput

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

const (
	// startTimeout is far above what a server takes until it listens.
	startTimeout = 20 * time.Second
	startPoll    = 10 * time.Millisecond
	// startAttempts is how often a port is chosen anew that another program has taken
	// between its choice and its use.
	startAttempts = 3
	// stopGrace is how long a server may take to end.
	stopGrace = 5 * time.Second
)

// A serverSpec says how to start a server.
type serverSpec struct {
	name string
	path string
	// args makes the arguments for a server that listens on addr, after writing what
	// they refer to.
	args func(addr string) ([]string, error)
	env  []string
	// forks tells that the answers come from the only child of the process.
	forks bool
	log   string
}

// A server is one that runs.
type server struct {
	serverSpec
	child *tool.Child
	addr  string
	// pid is the process that answers.
	pid int
}

// start starts a server on a processor and waits until it listens.
func (spec serverSpec) start(ctx context.Context, cpu int) (*server, error) {
	for attempt := 1; ; attempt++ {
		s, err := spec.attempt(ctx, cpu)
		if err == nil {
			return s, nil
		}
		var failure *tool.Error
		taken := errors.As(err, &failure) && strings.Contains(strings.ToLower(failure.Output), "address already in use")
		if !taken || attempt == startAttempts {
			return nil, fmt.Errorf("%s: %w", spec.name, err)
		}
	}
}

func (spec serverSpec) attempt(ctx context.Context, cpu int) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	args, err := spec.args(addr)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(spec.log); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	child, err := tool.Command{
		Path: spec.path, Args: args, Env: cleanenv.Tool(os.Environ(), spec.env...),
		Log: spec.log, CPUs: []int{cpu},
	}.Start(ctx)
	if err != nil {
		return nil, err
	}
	s := &server{serverSpec: spec, child: child, addr: addr, pid: child.Pid()}
	if err := s.await(ctx); err != nil {
		return nil, errors.Join(err, ended(s.stop()))
	}
	return s, nil
}

// freeAddr returns a loopback address with a port that nobody uses now.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// await waits until the server listens, and finds the process that answers.
func (s *server) await(ctx context.Context) error {
	deadline := time.Now().Add(startTimeout)
	for ; ; time.Sleep(startPoll) {
		select {
		case <-s.child.Done():
			if err := s.child.Wait(); err != nil {
				return err
			}
			return errors.New("ended, with status 0, before it listened")
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
		conn, err := net.DialTimeout("tcp", s.addr, time.Second)
		if err == nil {
			err = errors.Join(conn.Close(), s.findWorker())
		}
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("does not listen on %s after %v: %w", s.addr, startTimeout, err)
		}
	}
}

func (s *server) findWorker() error {
	if !s.forks {
		return nil
	}
	workers, err := children(s.child.Pid())
	if err != nil {
		return err
	}
	if len(workers) != 1 {
		return fmt.Errorf("has %d worker processes, want 1", len(workers))
	}
	s.pid = workers[0]
	return nil
}

// alive tells whether the process that answered at first is still there.
func (s *server) alive() error {
	select {
	case <-s.child.Done():
		if err := s.child.Wait(); err != nil {
			return err
		}
		return errors.New("has ended, with status 0")
	default:
	}
	before := s.pid
	if err := s.findWorker(); err != nil {
		return err
	}
	if s.pid != before {
		return fmt.Errorf("worker process %d has ended, there is a new one", before)
	}
	return nil
}

// stop ends the server. Its error tells how it ended, if not with status 0.
func (s *server) stop() error { return s.child.Stop(syscall.SIGTERM, stopGrace) }

// ended drops the error of a server that ended by the signal that it was sent.
func ended(err error) error {
	var failure *tool.Error
	if errors.As(err, &failure) && failure.Cause == nil && failure.Signal == syscall.SIGTERM {
		return nil
	}
	// What was cancelled is told once, by what noticed it first.
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
