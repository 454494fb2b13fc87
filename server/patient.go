package server

import (
	"net"
	"time"
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
