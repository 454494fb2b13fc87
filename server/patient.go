package server

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// patientListener hands out connections whose writes may take as long as
// they like in all, but not stand still for longer than timeout. A deadline
// for whole answers would cut off slow clients of large files.
type patientListener struct {
	net.Listener
	timeout time.Duration
}

func (l *patientListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &patientConn{Conn: c, timeout: l.timeout}, nil
}

type patientConn struct {
	net.Conn
	timeout time.Duration
}

func (c *patientConn) Write(p []byte) (int, error) {
	done := 0
	for {
		piece := p[done:min(len(p), done+chunkBytes)]
		if err := c.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
			return done, err
		}
		n, err := c.Conn.Write(piece)
		done += n
		if err != nil || done == len(p) {
			return done, err
		}
	}
}

// tailBytes of a file are read and not sent by sendfile: the reader gives them
// only if the file did not change until then.
const tailBytes = 4 << 10

// ReadFrom is what a bufio.Writer calls for content. Most of a file is sent
// without being copied.
func (c *patientConn) ReadFrom(r io.Reader) (int64, error) {
	sent := int64(0)
	limited, isLimited := r.(*io.LimitedReader)
	raw, isRaw := c.Conn.(syscall.Conn)
	if isLimited && isRaw {
		if from, ok := limited.R.(*sectionReader); ok && limited.N == from.left() {
			var err error
			if sent, err = c.sendFile(raw, from); err != nil {
				return sent, err
			}
			limited.N -= sent
		}
	}
	n, err := io.Copy(struct{ io.Writer }{c}, r)
	return sent + n, err
}

// sendFile sends of a section, except for its tail.
func (c *patientConn) sendFile(conn syscall.Conn, from *sectionReader) (int64, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	sent := int64(0)
	for from.left() > tailBytes {
		if err := c.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
			return sent, err
		}
		offset := from.section.Offset + from.done
		n := 0
		var failed error
		err := raw.Write(func(fd uintptr) bool {
			n, failed = unix.Sendfile(int(fd), from.section.FD(), &offset, int(from.left()-tailBytes))
			return failed != unix.EAGAIN
		})
		switch {
		case failed == unix.EINTR && err == nil:
			continue
		case err != nil || failed != nil:
			return sent, errors.Join(err, os.NewSyscallError("sendfile", failed))
		case n == 0:
			return sent, errCutShort
		}
		from.done += int64(n)
		sent += int64(n)
	}
	return sent, nil
}
