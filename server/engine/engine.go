package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/perfpin/perfpin/server/core"

	"golang.org/x/sys/unix"
)

// Engine serves a Site on listeners.
type Engine struct {
	site   *core.Site
	config Config
	// open counts the connections of all loops, and those taken over.
	open atomic.Int64
	// serving has one for each Serve, so that Shutdown can wait for them.
	serving sync.WaitGroup

	mu      sync.Mutex
	stopped bool // by Shutdown
	aborted bool // since it took too long
	loops   map[*loop]struct{}
	taken   map[net.Conn]struct{}
}

// New makes an Engine. It is an error for each fault in the configuration.
func New(site *core.Site, config Config) (*Engine, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	return &Engine{
		site:   site,
		config: config,
		loops:  make(map[*loop]struct{}),
		taken:  make(map[net.Conn]struct{}),
	}, nil
}

// Serve serves the connections of l until Shutdown; then it returns nil. It
// closes l. The listener is one of package net's own, for TCP or Unix.
func (e *Engine) Serve(l net.Listener) error {
	fd, err := duplicate(l)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer unix.Close(fd)
	loops, err := e.start(fd)
	if err != nil || loops == nil {
		return errors.Join(err, l.Close())
	}
	defer e.serving.Done()
	var running sync.WaitGroup
	failures := make([]error, len(loops))
	for i, loop := range loops {
		running.Go(func() {
			failures[i] = loop.run()
			if failures[i] != nil {
				stopAll(loops, aborting)
			}
		})
	}
	running.Wait()
	e.mu.Lock()
	for _, loop := range loops {
		delete(e.loops, loop)
		loop.free()
	}
	e.mu.Unlock()
	if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// start makes the loops for a listening descriptor; none after Shutdown.
func (e *Engine) start(listener int) ([]*loop, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped {
		return nil, nil
	}
	var loops []*loop
	for range e.config.Loops {
		loop, err := newLoop(e, listener)
		if err != nil {
			for _, made := range loops {
				made.free()
			}
			return nil, err
		}
		loops = append(loops, loop)
	}
	for _, loop := range loops {
		e.loops[loop] = struct{}{}
	}
	e.serving.Add(1)
	return loops, nil
}

// Shutdown stops listening, closes idle connections, and waits for requests
// and answers under way. Once ctx is done it ends them and returns the error
// of ctx. A Serve that comes after it returns at once.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.mu.Lock()
	e.stopped = true
	e.stopLoops(draining)
	e.mu.Unlock()

	ended := make(chan struct{})
	go func() {
		e.serving.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	e.mu.Lock()
	e.aborted = true
	e.stopLoops(aborting)
	for conn := range e.taken {
		conn.Close()
	}
	e.mu.Unlock()
	<-ended
	return ctx.Err()
}

func (e *Engine) stopLoops(how int32) {
	for loop := range e.loops {
		loop.stop(how)
	}
}

func stopAll(loops []*loop, how int32) {
	for _, loop := range loops {
		loop.stop(how)
	}
}

// duplicate gives a descriptor of l that this package owns: the one of the
// net package belongs to the run time's poller.
func duplicate(l net.Listener) (int, error) {
	switch l.(type) {
	case *net.TCPListener, *net.UnixListener:
	default:
		return -1, fmt.Errorf("listener: got %T, want a *net.TCPListener or a *net.UnixListener", l)
	}
	raw, err := l.(syscall.Conn).SyscallConn()
	if err != nil {
		return -1, fmt.Errorf("listener: %w", err)
	}
	fd := -1
	var dup error
	err = raw.Control(func(own uintptr) {
		fd, dup = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0)
	})
	if err := errors.Join(err, dup); err != nil {
		return -1, fmt.Errorf("listener: duplicate: %w", err)
	}
	if _, ok := l.(*net.TCPListener); ok {
		// Accepted sockets inherit it (tcp(7)): one call for all of them.
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			unix.Close(fd)
			return -1, fmt.Errorf("listener: TCP_NODELAY: %w", err)
		}
	}
	return fd, nil
}
