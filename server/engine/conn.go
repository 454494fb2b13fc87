package engine

import (
	"net/netip"

	"github.com/perfpin/perfpin/server/core"

	"golang.org/x/sys/unix"
)

// conn is a connection of one loop.
type conn struct {
	fd int // -1 once closed

	// Events are edge-triggered (epoll(7)), so that one call puts a connection
	// into the set for good; what they said is kept here.
	readable bool // receive may give something
	hungUp   bool // the end is behind what can be received
	ended    bool // the end was received
	blocked  bool // the socket is full
	queued   bool // in loop.ready

	last      bool // no request is read any more
	lingering bool // all is sent; what still comes is thrown away
	discarded int  // bytes, while lingering

	// since is when the client last did what a timeout waits for.
	since int64
	// rest is what was received and is not yet a whole request.
	rest []byte
	// body is there while the content of a request arrives.
	body *arrival
	// The output that the socket had no room for: heads, and then the
	// content of response, in memory or in a file.
	heads    []byte
	response *core.Response
	content  []byte
	section  core.Section

	remote netip.AddrPort // where there is a log
}

// arrival is a request whose content is not all there.
type arrival struct {
	Body
	head []byte
}

func (c *conn) hasOutput() bool { return len(c.heads) > 0 || c.response != nil }

// isReading tells that a request has begun to arrive.
func (c *conn) isReading() bool { return len(c.rest) > 0 || c.body != nil }

func (c *conn) isIdle() bool { return !c.isReading() && !c.hasOutput() && !c.lingering }

// maxSpares bounds the responses that are kept for the next large answers.
const maxSpares = 64

// dropOutput gives back what an answer holds.
func (l *loop) dropOutput(c *conn) {
	if c.response != nil {
		c.response.Release()
		if len(l.spares) < maxSpares {
			l.spares = append(l.spares, c.response)
		}
	}
	c.heads, c.response, c.content, c.section = nil, nil, nil, core.Section{}
}

const (
	// acceptsAlone and acceptsShared are how many connections a loop accepts
	// in a turn. Where there are others it leaves them the rest.
	acceptsAlone  = 64
	acceptsShared = 1
)

// accept takes new connections.
func (l *loop) accept() {
	turns := acceptsAlone
	if l.engine.config.Loops > 1 {
		turns = acceptsShared
	}
	for range turns {
		fd, peer, err := unix.Accept4(l.listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch err {
		case nil:
			l.add(fd, peer)
		case unix.EAGAIN:
			return
		case unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM:
			// The event would come again at once. The sweep listens again.
			l.ignore(l.listener)
			l.listening = false
			return
		}
		// Any other error is that of a connection which is gone (accept(2)).
	}
}

func (l *loop) add(fd int, peer unix.Sockaddr) {
	if l.engine.open.Add(1) > int64(l.engine.config.Connections) {
		l.engine.open.Add(-1)
		unix.Close(fd)
		return
	}
	if l.count == 0 {
		l.swept = l.now // there was nothing to be swept
	}
	c := &conn{fd: fd, since: l.now}
	if l.engine.config.Log != nil {
		c.remote = addressOf(peer)
	}
	if l.watch(fd, unix.EPOLLIN|unix.EPOLLOUT|unix.EPOLLRDHUP|unix.EPOLLET) != nil {
		l.engine.open.Add(-1)
		unix.Close(fd)
		return
	}
	for fd >= len(l.conns) {
		l.conns = append(l.conns, make([]*conn, len(l.conns)+64)...)
	}
	l.conns[fd] = c
	l.count++
}

func addressOf(peer unix.Sockaddr) netip.AddrPort {
	switch a := peer.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(a.Addr).Unmap(), uint16(a.Port))
	}
	return netip.AddrPort{}
}

// close ends a connection. What the kernel has not yet sent it still sends,
// unless the client sent something that was not received.
func (l *loop) close(c *conn) {
	unix.Close(c.fd) // which takes it out of the epoll set, too
	l.forget(c)
	l.engine.open.Add(-1)
}

// forget lets go of a connection without its descriptor.
func (l *loop) forget(c *conn) {
	l.dropOutput(c)
	l.conns[c.fd] = nil
	l.count--
	c.fd, c.rest, c.body = -1, nil, nil
}

// queue gives c another turn without an event.
func (l *loop) queue(c *conn) {
	if !c.queued {
		c.queued = true
		l.ready = append(l.ready, c)
	}
}
