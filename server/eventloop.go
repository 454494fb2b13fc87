package server

import (
	"errors"
	"net"
	"runtime"

	"github.com/perfpin/perfpin/server/engine"
	"github.com/perfpin/perfpin/server/reload"
)

// newEventLoop makes the front end of package engine: a loop for each
// processor.
func newEventLoop(s *Server) (*engine.Engine, error) {
	return engine.New(s.site, s.engineConfig())
}

func (s *Server) engineConfig() engine.Config {
	config := engine.Config{
		Loops:        runtime.GOMAXPROCS(0),
		HeaderBytes:  s.limits.HeaderBytes,
		BodyBytes:    maxBodyBytes,
		ReadTimeout:  s.limits.ReadTimeout,
		WriteTimeout: s.limits.WriteTimeout,
		IdleTimeout:  s.limits.IdleTimeout,
		Connections:  s.limits.Connections,
	}
	if s.log != nil {
		config.Log = s.logRecord
	}
	if s.reload != nil {
		config.Takeover = s.takeOver
	}
	return config
}

// serveOneOnLoop ends with the first answer. What could not be read as a
// request does not count.
func (s *Server) serveOneOnLoop(l net.Listener) error {
	config := s.engineConfig()
	config.Loops, config.Once = 1, true
	e, err := engine.New(s.site, config)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	return e.Serve(l)
}

func (s *Server) logRecord(r engine.Record) {
	proto := "HTTP/1.1"
	if r.Minor == 0 {
		proto = "HTTP/1.0"
	}
	s.log.write(r.Remote.String(), r.Method, r.Target, proto, r.Status, r.Sent)
}

// takeOver takes the requests for reload events off the loop. The end of the
// connection is the end of the events.
func (s *Server) takeOver(r *engine.Request) func(net.Conn) {
	if !s.asksForEvents(r.Method, r.Target) {
		return nil
	}
	return func(conn net.Conn) {
		head := "HTTP/1.1 200 OK\r\nConnection: close\r\n"
		for _, f := range reload.Head() {
			head += f[0] + ": " + f[1] + "\r\n"
		}
		if _, err := conn.Write([]byte(head + "\r\n")); err != nil {
			return
		}
		s.reload.Stream(nil, func(event []byte) error {
			_, err := conn.Write(event)
			return err
		})
	}
}
