package engine

import (
	"net"
	"os"

	"github.com/perfpin/perfpin/server/core"
)

// answer answers l.request: small answers into l.out, the content of large
// ones into c.
func (l *loop) answer(c *conn, keep bool) {
	r := &l.request
	config := &l.engine.config
	if config.Takeover != nil {
		if serve := config.Takeover(r); serve != nil {
			l.handOver(c, serve)
			return
		}
	}
	if config.Once {
		l.stopping.Store(draining)
	}
	keep = keep && r.Method != "CONNECT" && l.stopping.Load() == running
	if len(l.spares) == 0 {
		l.spares = append(l.spares, new(core.Response))
	}
	last := len(l.spares) - 1
	response := l.spares[last]
	l.engine.site.Handle(&r.Request, response)
	l.out = append(l.out, response.Head...)
	l.out = append(l.out, l.tails.of(r, keep)...)
	c.last = !keep
	if config.Log != nil {
		config.Log(Record{
			Remote: c.remote, Method: r.Method, Target: r.Target, Minor: r.Minor,
			Status: response.Status, Sent: int64(len(response.Body)) + response.Section.Length,
		})
	}
	if response.Section.Length == 0 && len(response.Body) <= copiedBytes {
		l.out = append(l.out, response.Body...)
		response.Release()
		return
	}
	c.response, c.content, c.section = response, response.Body, response.Section
	l.spares = l.spares[:last]
}

// refuse answers what is not served; err is a *Refusal.
func (l *loop) refuse(c *conn, err error) {
	head, content := appendRefusal(l.out, err.(*Refusal).Status)
	l.out = append(head, l.tails.last()...)
	l.out = append(l.out, content...)
	l.out = append(l.out, '\n')
	c.last = true
}

// handOver gives the connection to serve, behind the answers so far.
func (l *loop) handOver(c *conn, serve func(net.Conn)) {
	l.ignore(c.fd)
	fd := c.fd
	before := append([]byte(nil), l.out...)
	l.forget(c)
	e := l.engine
	file := os.NewFile(uintptr(fd), "connection")
	conn, err := net.FileConn(file) // has a descriptor of its own
	file.Close()
	if err != nil {
		e.open.Add(-1)
		return
	}
	e.take(conn)
	e.serving.Add(1)
	go func() {
		defer e.serving.Done()
		defer e.release(conn)
		if _, err := conn.Write(before); err == nil {
			serve(conn)
		}
	}()
}

// take keeps conn for Shutdown, or closes it if that has come by already.
func (e *Engine) take(conn net.Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.taken[conn] = struct{}{}
	if e.aborted {
		conn.Close()
	}
}

func (e *Engine) release(conn net.Conn) {
	conn.Close()
	e.open.Add(-1)
	e.mu.Lock()
	delete(e.taken, conn)
	e.mu.Unlock()
}
