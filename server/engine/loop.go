package engine

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/perfpin/perfpin/server/core"

	"golang.org/x/sys/unix"
)

// loop serves its connections one event at a time, on one goroutine.
type loop struct {
	engine   *Engine
	epoll    int
	poller   *os.File // owns epoll
	poll     syscall.RawConn
	polled   func(uintptr) bool // asks epoll for events; kept, since making it allocates
	found    int                // by polled: the number of events
	failed   error              // by polled
	due      int64              // when poll wakes up without an event, like now; 0 for never
	wake     int                // eventfd(2), written to by stop
	listener int
	// listening tells that the listener is in the epoll set.
	listening bool
	stopping  atomic.Int32
	drained   bool // idle connections were closed

	conns []*conn // by descriptor
	count int
	// ready are the connections that can go on without an event.
	ready, next []*conn

	in, out []byte
	tail    []byte // of a file; made at the first need
	request Request
	spares  []*core.Response // of which the last answers next

	now    int64 // nanoseconds on the monotonic clock, once for each turn
	begun  time.Time
	sweeps time.Duration
	swept  int64
	tails  tails
	events [maxEvents]unix.EpollEvent
	vector [2]unix.Iovec
}

// How a loop is told to end.
const (
	running int32 = iota
	draining
	aborting
)

const (
	maxEvents = 128
	// inBytes is read from one connection in one turn.
	inBytes = 16 << 10
)

func newLoop(e *Engine, listener int) (*loop, error) {
	l := &loop{
		engine: e, epoll: -1, wake: -1, listener: listener,
		in:    make([]byte, max(inBytes, 2*e.config.HeaderBytes)),
		out:   make([]byte, 0, 2*outBytes),
		begun: time.Now(),
	}
	c := &e.config
	l.sweeps = min(max(min(c.ReadTimeout, c.WriteTimeout, c.IdleTimeout)/8, 5*time.Millisecond), time.Second/2)
	if c.Once {
		// What one answer costs is counted: no sweep is to fall into it.
		l.sweeps = min(c.ReadTimeout, c.WriteTimeout, c.IdleTimeout)
	}
	if err := l.open(); err != nil {
		l.free()
		return nil, fmt.Errorf("event loop: %w", err)
	}
	return l, nil
}

func (l *loop) open() (err error) {
	if l.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return fmt.Errorf("epoll_create1: %w", err)
	}
	if err := l.usePoller(); err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	if l.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return fmt.Errorf("eventfd: %w", err)
	}
	if err := l.watch(l.wake, unix.EPOLLIN); err != nil {
		return err
	}
	return l.listen()
}

// usePoller gives the epoll instance to the Go run time, whose own poller
// then waits for it: a goroutine that waits there holds up no thread. It counts
// as readable while it has events (epoll(7)).
func (l *loop) usePoller() (err error) {
	if err := unix.SetNonblock(l.epoll, true); err != nil {
		return err
	}
	l.poller = os.NewFile(uintptr(l.epoll), "epoll")
	l.polled = func(uintptr) bool {
		l.found, l.failed = poll(l.epoll, l.events[:])
		return l.found > 0 || l.failed != nil
	}
	if l.poll, err = l.poller.SyscallConn(); err != nil {
		return err
	}
	return l.poller.SetReadDeadline(time.Time{}) // fails where it cannot be waited for
}

// listen has the kernel wake one of the loops that wait for a connection.
func (l *loop) listen() error {
	if err := l.watch(l.listener, unix.EPOLLIN|unix.EPOLLEXCLUSIVE); err != nil {
		return err
	}
	l.listening = true
	return nil
}

func (l *loop) watch(fd int, events uint32) error {
	if err := unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)}); err != nil {
		return fmt.Errorf("epoll_ctl: %w", err)
	}
	return nil
}

func (l *loop) ignore(fd int) {
	// It is there, and an event that comes all the same does no harm.
	_ = unix.EpollCtl(l.epoll, unix.EPOLL_CTL_DEL, fd, nil)
}

// free closes what open opened.
func (l *loop) free() {
	if l.poller != nil {
		l.poller.Close()
	} else if l.epoll >= 0 {
		unix.Close(l.epoll)
	}
	if l.wake >= 0 {
		unix.Close(l.wake)
	}
}

// stop tells the loop to end; it may be called from anywhere until free.
func (l *loop) stop(how int32) {
	l.stopping.Store(how)
	// Full is as good as written: the loop has not yet seen the last one.
	_, _ = unix.Write(l.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

// run serves until the loop is stopped and its connections have ended.
func (l *loop) run() error {
	for {
		n, err := l.wait()
		if err != nil {
			l.closeAll()
			return fmt.Errorf("event loop: epoll_wait: %w", err)
		}
		l.tick()
		for i := range n {
			l.dispatch(&l.events[i])
		}
		l.goOn()
		if l.stopping.Load() != running && l.end() {
			return nil
		}
	}
}

// wait gives the number of events, perhaps 0. It asks first for what is there
// already, which is cheap.
func (l *loop) wait() (int, error) {
	n, err := poll(l.epoll, l.events[:])
	if err == unix.EINTR {
		return 0, nil
	}
	if n > 0 || err != nil || len(l.ready) > 0 {
		return n, err
	}
	if err := l.wakeForSweep(); err != nil {
		return 0, err
	}
	err = l.poll.Read(l.polled)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) || l.failed == unix.EINTR:
		return 0, nil
	case err != nil:
		return 0, err
	}
	return l.found, l.failed
}

// wakeForSweep has poll return in time for the next sweep, if there is
// anything to be swept.
func (l *loop) wakeForSweep() error {
	due := int64(0)
	if l.count > 0 || !l.listening {
		due = l.swept + int64(l.sweeps)
	}
	if due == l.due {
		return nil
	}
	l.due = due
	if due == 0 {
		return l.poller.SetReadDeadline(time.Time{})
	}
	return l.poller.SetReadDeadline(l.begun.Add(time.Duration(due)))
}

// tick looks at the clock, and does what is due.
func (l *loop) tick() {
	now := time.Now()
	l.now = int64(now.Sub(l.begun))
	l.tails.now = now
	if l.now-l.swept >= int64(l.sweeps) {
		l.swept = l.now
		l.sweep()
	}
}

func (l *loop) dispatch(event *unix.EpollEvent) {
	switch fd := int(event.Fd); fd {
	case l.listener:
		l.accept()
	case l.wake:
		var count [8]byte
		_, _ = unix.Read(l.wake, count[:]) // the reason is in stopping
	default:
		if c := l.conns[fd]; c != nil {
			l.wakeUp(c, event.Events)
		}
	}
}

// goOn gives each connection that is ready another turn.
func (l *loop) goOn() {
	l.ready, l.next = l.next[:0], l.ready
	for i, c := range l.next {
		l.next[i] = nil
		c.queued = false
		if c.fd >= 0 {
			l.advance(c)
		}
	}
}

// end ends what need not go on. It is true once nothing is left.
func (l *loop) end() bool {
	if l.listening {
		l.ignore(l.listener)
		l.listening = false
	}
	if l.stopping.Load() == aborting {
		l.closeAll()
	} else if !l.drained {
		l.drained = true
		for _, c := range l.conns {
			if c != nil && c.isIdle() {
				l.close(c)
			}
		}
	}
	return l.count == 0
}

func (l *loop) closeAll() {
	for _, c := range l.conns {
		if c != nil {
			l.close(c)
		}
	}
}
