package engine

import (
	"bytes"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// maxPipelined and outBytes bound what is answered of one connection
	// before others have their turn.
	maxPipelined = 32
	outBytes     = 64 << 10
	// copiedBytes is the largest content that goes into the buffer behind its
	// head: up to there a copy costs less than a second piece of memory does
	// the kernel.
	copiedBytes = 4 << 10
)

// wakeUp notes what an event says, and goes on with c if it can.
func (l *loop) wakeUp(c *conn, events uint32) {
	if events&^uint32(unix.EPOLLOUT) != 0 {
		c.readable = true
	}
	if events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
		c.hungUp = true
	}
	if c.blocked && events&(unix.EPOLLOUT|unix.EPOLLHUP|unix.EPOLLERR) == 0 {
		return
	}
	c.blocked = false
	if !c.queued {
		l.advance(c)
	}
}

// advance does the next thing for a connection: it sends what is left to be
// sent, and only then reads on.
func (l *loop) advance(c *conn) {
	switch {
	case c.lingering:
		l.discard(c)
	case c.hasOutput():
		l.push(c, c.heads)
		l.settle(c, true)
	case c.readable || len(c.rest) > 0:
		l.serve(c)
	}
}

// serve receives and answers requests.
func (l *loop) serve(c *conn) {
	n := copy(l.in, c.rest)
	if c.readable && n < len(l.in) {
		m, ok := l.receive(c, l.in[n:])
		if !ok {
			l.close(c)
			return
		}
		n += m
	}
	wasIdle := !c.isReading()
	l.out = l.out[:0]
	left, answers, more := l.answerAll(c, l.in[:n])
	if c.fd < 0 {
		return // taken over
	}
	if len(left) == 0 || c.last {
		c.rest = nil
	} else {
		c.rest = append(c.rest[:0], left...)
	}
	if wasIdle || answers > 0 {
		c.since = l.now
	}
	if len(l.out) > 0 || c.response != nil {
		l.push(c, l.out)
	}
	l.settle(c, more)
}

// receive reads once. It is false if the connection is broken.
func (l *loop) receive(c *conn, buf []byte) (int, bool) {
	n, err := receive(c.fd, buf)
	switch {
	case err == unix.EAGAIN:
		c.readable = false
		return 0, true
	case err != nil:
		return 0, false
	case n == 0:
		c.readable, c.ended = false, true
	case n < len(buf) && !c.hungUp:
		// All of it: what comes later has an event of its own (epoll(7)).
		c.readable = false
	}
	return n, true
}

// answerAll answers what is whole in buf, up to the bounds. It returns what is
// left, the number of answers, and whether more of them may be possible.
func (l *loop) answerAll(c *conn, buf []byte) (left []byte, answers int, more bool) {
	for len(buf) > 0 && !c.last {
		if answers == maxPipelined || len(l.out) >= outBytes || c.response != nil {
			return buf, answers, true
		}
		n, answered := l.answerNext(c, buf)
		if c.fd < 0 {
			return nil, answers, false
		}
		buf = buf[n:]
		if answered {
			answers++
		} else if n == 0 {
			break
		}
	}
	return buf, answers, false
}

// answerNext reads one request, or some of it, and answers it once it is
// whole. It returns how much of buf is done with.
func (l *loop) answerNext(c *conn, buf []byte) (n int, answered bool) {
	if c.body != nil {
		return l.passBody(c, buf)
	}
	r := &l.request
	n, err := Parse(r, buf, l.engine.config.HeaderBytes)
	switch {
	case err == ErrIncomplete:
		return 0, false
	case err != nil:
		l.refuse(c, err)
		return n, true
	case r.Length != 0 && !r.Continue:
		body, err := NewBody(r, l.engine.config.BodyBytes)
		if err != nil {
			l.refuse(c, err)
			return n, true
		}
		c.body = &arrival{Body: body, head: bytes.Clone(buf[:n])}
		return n, false
	}
	// A client that waits for 100 has its final answer instead.
	l.answer(c, r.KeepAlive && r.Length == 0)
	return n, true
}

// passBody goes on with the content of a request. Nothing is read behind it:
// then no doubt is possible where the next request would begin.
func (l *loop) passBody(c *conn, buf []byte) (n int, answered bool) {
	n, err := c.body.Skip(buf)
	if err != nil {
		l.refuse(c, err)
		return n, true
	}
	if !c.body.Done() {
		return n, false
	}
	head := c.body.head
	c.body = nil
	if _, err := Parse(&l.request, head, len(head)); err != nil {
		l.refuse(c, err)
		return n, true
	}
	l.answer(c, false)
	return n, true
}

// settle sees to what comes after output: more of it, the end, or the next
// request. More tells that there may be a request in c.rest.
func (l *loop) settle(c *conn, more bool) {
	switch {
	case c.fd < 0 || c.hasOutput():
	case c.last:
		l.finish(c)
	case more && len(c.rest) > 0 || c.readable:
		l.queue(c)
	case c.ended || l.drained && c.isIdle():
		l.close(c)
	}
}

const (
	// lingerTime and lingerBytes bound how long a client is listened to after
	// its last answer.
	lingerTime  = 2 * time.Second
	lingerBytes = 1 << 20
)

// finish ends the sending side. The rest waits until the client has read the
// answer: a socket closed with something to receive is reset, and the answer
// may be lost with it (RFC 9112 §9.6).
func (l *loop) finish(c *conn) {
	alone := l.engine.config.Once && !c.readable // all that came was received
	if c.ended || alone || unix.Shutdown(c.fd, unix.SHUT_WR) != nil {
		l.close(c)
		return
	}
	c.lingering, c.rest, c.body = true, nil, nil
	c.since = l.now
	if c.readable {
		l.queue(c)
	}
}

func (l *loop) discard(c *conn) {
	if !c.readable {
		return
	}
	n, ok := l.receive(c, l.in)
	c.discarded += n
	switch {
	case !ok || c.ended || c.discarded > lingerBytes:
		l.close(c)
	case c.readable:
		l.queue(c)
	}
}
