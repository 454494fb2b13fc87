package engine

import (
	"errors"

	"golang.org/x/sys/unix"
)

const (
	// turnBytes is sent on one connection before others have their turn.
	turnBytes = 1 << 20
	// tailBytes of a file are held back until all before them is sent: they
	// go only if the file did not change meanwhile.
	tailBytes = 4 << 10
)

// push sends heads, and then the content that c holds, until all is sent, the
// socket is full, or the turn is over.
func (l *loop) push(c *conn, heads []byte) {
	for budget := turnBytes; ; {
		n, left, err := l.sendNext(c, heads)
		switch {
		case err == unix.EAGAIN:
			c.blocked = true
		case err != nil:
			l.close(c) // before the length that was announced
			return
		case !left:
			l.dropOutput(c)
			return
		case n > 0:
			c.since = l.now
		}
		sent := min(n, len(heads))
		heads = heads[sent:]
		c.pass(n - sent)
		if budget -= n; budget <= 0 && !c.blocked {
			l.queue(c)
		}
		if c.blocked || c.queued {
			c.heads = append(c.heads[:0], heads...)
			return
		}
	}
}

// sendNext makes one system call that sends, and returns how many bytes it
// took. Left is false if there is nothing left to send. That a call took less
// than it was given does not tell that the socket is full; EAGAIN does.
func (l *loop) sendNext(c *conn, heads []byte) (n int, left bool, err error) {
	if c.section.Length > tailBytes {
		if len(heads) > 0 {
			n, err = send(c.fd, heads, unix.MSG_MORE)
		} else {
			n, err = sendFile(c)
		}
		return n, true, err
	}
	piece, err := l.nextPiece(c)
	switch {
	case err != nil:
	case len(piece) > 0 && len(heads) > 0:
		n, err = sendBoth(c.fd, &l.vector, heads, piece)
	case len(heads) > 0:
		n, err = send(c.fd, heads, 0)
	case len(piece) > 0:
		n, err = send(c.fd, piece, 0)
	default:
		return 0, false, nil
	}
	return n, true, err
}

// sendFile sends of a file, except for its tail. The kernel does not copy what
// it sends.
func sendFile(c *conn) (int, error) {
	offset := c.section.Offset
	n, err := unix.Sendfile(c.fd, c.section.FD(), &offset, int(min(c.section.Length-tailBytes, turnBytes)))
	switch {
	case err == unix.EINTR:
		return 0, nil
	case n == 0 && err == nil:
		return 0, errShort
	}
	return max(n, 0), err
}

// errShort says that a file ended before its length.
var errShort = errors.New("file became shorter while it was sent")

// nextPiece gives what is to be sent next of the content in memory, empty at
// its end. The tail of a file comes only if the file is still the version that
// the head describes.
func (l *loop) nextPiece(c *conn) ([]byte, error) {
	if c.section.Length == 0 {
		return c.content[:min(len(c.content), turnBytes)], nil
	}
	if l.tail == nil {
		l.tail = make([]byte, tailBytes)
	}
	tail := l.tail[:c.section.Length]
	if _, err := c.section.ReadAt(tail, c.section.Offset); err != nil {
		return nil, err
	}
	return tail, c.section.Intact()
}

// pass notes that n bytes of the content were sent.
func (c *conn) pass(n int) {
	if c.section.Length > 0 {
		c.section.Offset += int64(n)
		c.section.Length -= int64(n)
		return
	}
	c.content = c.content[n:]
}
