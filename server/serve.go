package server

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// frontEnd reads requests from sockets and writes the core's answers.
type frontEnd interface {
	// Serve serves the connections of l, and closes it, until Shutdown.
	Serve(l net.Listener) error
	// Shutdown stops every Serve, now and to come, and waits for the answers
	// under way until ctx is done.
	Shutdown(ctx context.Context) error
}

// DefaultFrontEnd is the one without WithFrontEnd.
const DefaultFrontEnd = EventLoop

func newFrontEnd(s *Server, which FrontEnd) (frontEnd, error) {
	switch which {
	case FastHTTP:
		return newFastFront(s), nil
	case EventLoop:
		return newEventLoop(s)
	}
	return nil, fmt.Errorf("front end: got %d, want %d or %d", which, FastHTTP, EventLoop)
}

// ListenAndServe listens on the TCP address addr and serves until Shutdown.
func (s *Server) ListenAndServe(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return s.Serve(l)
}

// Serve serves the connections of l until Shutdown; then it returns nil. It
// closes l. EventLoop takes listeners of package net for TCP and Unix sockets,
// FastHTTP any.
func (s *Server) Serve(l net.Listener) error { return s.front.Serve(l) }

// Shutdown stops listening and waits for the answers under way, until ctx is
// done. A Serve that comes after it returns at once.
func (s *Server) Shutdown(ctx context.Context) error {
	if s.reload != nil {
		s.reload.Close()
	}
	return s.front.Shutdown(ctx)
}

// ServeOne answers one request on one connection of l, closes both, and
// returns.
func (s *Server) ServeOne(l net.Listener) error {
	if _, ok := s.front.(*fastFront); !ok {
		return s.serveOneOnLoop(l)
	}
	conn, err := l.Accept()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	front := newFastFront(s)
	front.fast.MaxRequestsPerConn = 1
	err = front.fast.ServeConn(&patientConn{Conn: conn, timeout: s.limits.WriteTimeout})
	return errors.Join(err, l.Close())
}
