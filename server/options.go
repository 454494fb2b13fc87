package server

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/perfpin/perfpin/server/core"
)

// Option changes one thing about a Server.
type Option func(*settings)

// settings is what the options change.
type settings struct {
	core       core.Config
	limits     Limits
	frontEnd   FrontEnd
	accessLog  io.Writer
	liveReload bool
}

// Limits bounds what one client and all of them together can take up. They
// hold for Serve and ListenAndServe; as a Handler, the http.Server's own do.
type Limits struct {
	// HeaderBytes is the largest request head; a larger one is answered 431.
	HeaderBytes int
	// ReadTimeout is how long a request may take to arrive once it began.
	ReadTimeout time.Duration
	// WriteTimeout is how long a client may take no byte of an answer.
	WriteTimeout time.Duration
	// IdleTimeout is how long a connection is kept without a request.
	IdleTimeout time.Duration
	// Connections is how many are served at once; more are closed at once.
	Connections int
}

// DefaultLimits are those without WithLimits.
func DefaultLimits() Limits {
	return Limits{
		HeaderBytes:  8 << 10,
		ReadTimeout:  10 * time.Second,
		WriteTimeout: 30 * time.Second,
		IdleTimeout:  75 * time.Second,
		Connections:  20000,
	}
}

func (l Limits) validate() error {
	var faults []error
	if l.HeaderBytes < 1<<10 {
		faults = append(faults, fmt.Errorf("limits: header: got %d bytes, want at least 1024", l.HeaderBytes))
	}
	if l.ReadTimeout <= 0 || l.WriteTimeout <= 0 || l.IdleTimeout <= 0 {
		faults = append(faults, fmt.Errorf("limits: timeouts: got read %v, write %v, idle %v, want all above 0",
			l.ReadTimeout, l.WriteTimeout, l.IdleTimeout))
	}
	if l.Connections < 1 {
		faults = append(faults, fmt.Errorf("limits: connections: got %d, want at least 1", l.Connections))
	}
	return errors.Join(faults...)
}

// WithCache bounds the content cache to bytes (0 turns it off), and the files
// in it to fileBytes each; larger files are sent from an open file.
func WithCache(bytes, fileBytes int64) Option {
	return func(s *settings) { s.core.CacheBytes, s.core.CacheFileBytes = bytes, fileBytes }
}

// WithRevalidate sets how long a cached answer is given without a look at
// the file; 0 looks at every request.
func WithRevalidate(d time.Duration) Option { return func(s *settings) { s.core.Revalidate = d } }

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(s *settings) { s.core.Clock = now } }

// WithIndex names the file that answers for a directory.
func WithIndex(name string) Option { return func(s *settings) { s.core.Index = name } }

// WithListing answers for a directory without index by its names.
func WithListing() Option { return func(s *settings) { s.core.Listing = true } }

// WithFallback names the page of a single-page application, which answers
// navigation to a missing path without extension.
func WithFallback(name string) Option { return func(s *settings) { s.core.Fallback = name } }

// WithDotfiles serves names that begin with a dot.
func WithDotfiles() Option { return func(s *settings) { s.core.Dotfiles = true } }

// WithoutSidecars serves FILE.gz and the like under their own names only.
func WithoutSidecars() Option { return func(s *settings) { s.core.Sidecars = false } }

// WithSidecarOnly serves a sidecar where the file itself is missing, too.
func WithSidecarOnly() Option { return func(s *settings) { s.core.SidecarOnly = true } }

// WithImmutable says which paths never change: their answers may be kept by
// clients for a year without asking.
func WithImmutable(f func(path string) bool) Option {
	return func(s *settings) { s.core.Immutable = f }
}

// WithHeaders adds fields to the answers for files whose path matches pattern:
// a path.Match pattern, or a prefix where it ends in "/**".
func WithHeaders(pattern string, fields ...core.HeaderField) Option {
	return func(s *settings) {
		s.core.Headers = append(s.core.Headers, core.HeaderRule{Pattern: pattern, Fields: fields})
	}
}

// WithErrorPage sends the content of the file name with a status.
func WithErrorPage(status int, name string) Option {
	return func(s *settings) {
		if s.core.ErrorPages == nil {
			s.core.ErrorPages = make(map[int]string)
		}
		s.core.ErrorPages[status] = name
	}
}

// WithLiveReload makes pages in browsers reload when a file changes: HTML gets
// a script, nothing is cached, and files are watched.
func WithLiveReload() Option { return func(s *settings) { s.liveReload = true } }

// WithAccessLog writes a line for each request in the Common Log Format.
func WithAccessLog(w io.Writer) Option { return func(s *settings) { s.accessLog = w } }

// WithErrorLog is told of files that could not be read. It may be called from
// several goroutines at once.
func WithErrorLog(f func(error)) Option { return func(s *settings) { s.core.OnError = f } }

// FrontEnd is what reads requests from sockets for Serve.
type FrontEnd uint8

const (
	// FastHTTP is built on the library of that name.
	FastHTTP FrontEnd = iota
	// EventLoop is the module's own, see package engine. Its listeners are
	// those of package net for TCP and Unix sockets.
	EventLoop
)

// WithFrontEnd chooses how Serve reads requests. The answers are the same.
func WithFrontEnd(f FrontEnd) Option { return func(s *settings) { s.frontEnd = f } }

// WithLimits replaces DefaultLimits.
func WithLimits(l Limits) Option { return func(s *settings) { s.limits = l } }
