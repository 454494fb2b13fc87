package engine

import "golang.org/x/sys/unix"

const (
	// turnBytes is sent on one connection before others have their turn.
	turnBytes = 1 << 20
	// pieceBytes is read from a file at once: little enough to be still in
	// the processor's cache when the socket copies it.
	pieceBytes = 128 << 10
)

// push sends heads, and then the content that c holds, until all is sent, the
// socket is full, or the turn is over.
func (l *loop) push(c *conn, heads []byte) {
	for budget := turnBytes; ; {
		piece, err := l.nextPiece(c)
		if err != nil {
			l.close(c) // before the length that was announced
			return
		}
		want := len(heads) + len(piece)
		if want == 0 {
			c.dropOutput()
			return
		}
		n, errno := l.write(c.fd, heads, piece)
		if errno != 0 && errno != unix.EAGAIN {
			l.close(c)
			return
		}
		if n > 0 {
			c.since = l.now
		}
		sent := min(n, len(heads))
		heads = heads[sent:]
		c.pass(n - sent)
		if budget -= n; n < want || budget <= 0 {
			c.heads = append(c.heads[:0], heads...)
			if c.blocked = n < want; !c.blocked {
				l.queue(c)
			}
			return
		}
	}
}

func (l *loop) write(fd int, heads, piece []byte) (int, unix.Errno) {
	switch {
	case len(piece) == 0:
		return send(fd, heads)
	case len(heads) == 0:
		return send(fd, piece)
	}
	return sendBoth(fd, &l.vector, heads, piece)
}

// nextPiece gives what is to be sent next of the content, empty at its end.
// The last piece of a file comes only if the file is still the version that
// the head describes: sendfile(2) would send what is in the file when the
// packet leaves.
func (l *loop) nextPiece(c *conn) ([]byte, error) {
	if c.section.Length == 0 {
		return c.content[:min(len(c.content), turnBytes)], nil
	}
	if l.piece == nil {
		l.piece = make([]byte, pieceBytes)
	}
	piece := l.piece[:min(int64(len(l.piece)), c.section.Length)]
	if _, err := c.section.ReadAt(piece, c.section.Offset); err != nil {
		return nil, err
	}
	if int64(len(piece)) == c.section.Length {
		return piece, c.section.Intact()
	}
	return piece, nil
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
