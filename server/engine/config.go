package engine

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// Config says how connections are served. Begin with Defaults.
type Config struct {
	// Loops is how many event loops share the connections, each on a thread:
	// 1 for one worker.
	Loops int
	// HeaderBytes is the largest request head; a larger one is answered 431,
	// or 414 where its first line alone is too large.
	HeaderBytes int
	// BodyBytes is the largest request content that is read, to be thrown
	// away, framing included; a larger one is answered 413.
	BodyBytes int64
	// ReadTimeout is how long a request may take to arrive once it began; then
	// it is answered 408.
	ReadTimeout time.Duration
	// WriteTimeout is how long a client may take no byte of an answer.
	WriteTimeout time.Duration
	// IdleTimeout is how long a connection is kept without a request.
	IdleTimeout time.Duration
	// Connections is how many are served at once; more are closed at once.
	Connections int
	// Once ends a loop with its first answer to a well-formed request.
	Once bool
	// Log is told of each answer to a well-formed request once it is made. It
	// may be called from several loops at once, and holds up its loop.
	Log func(Record)
	// Takeover gives whoever answers r in place of the Site, or nil for the
	// Site. It gets the connection, has a goroutine of its own, and closes
	// nothing: the connection ends when it returns. Neither r nor its strings
	// are good after Takeover returned.
	Takeover func(r *Request) func(net.Conn)
}

// Record is what a log may say about an answer. The strings are not good
// after Log returned.
type Record struct {
	Remote         netip.AddrPort // zero for a Unix socket
	Method, Target string
	Minor          int   // of the version, as in HTTP/1.x
	Status         int   // of the answer
	Sent           int64 // bytes of the content that will be sent
}

// Defaults is one loop, with bounds that do for browsers.
func Defaults() Config {
	return Config{
		Loops:        1,
		HeaderBytes:  8 << 10,
		BodyBytes:    64 << 10,
		ReadTimeout:  10 * time.Second,
		WriteTimeout: 30 * time.Second,
		IdleTimeout:  75 * time.Second,
		Connections:  20000,
	}
}

const (
	minHeaderBytes = 1 << 10
	maxHeaderBytes = 1 << 20
	maxBodyBytes   = 1 << 30
)

// validate reports every fault.
func (c *Config) validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("engine: "+format, args...))
	}
	if c.Loops < 1 {
		fault("loops: got %d, want at least 1", c.Loops)
	}
	if c.HeaderBytes < minHeaderBytes || c.HeaderBytes > maxHeaderBytes {
		fault("header: got %d bytes, want %d to %d", c.HeaderBytes, minHeaderBytes, maxHeaderBytes)
	}
	if c.BodyBytes < 0 || c.BodyBytes > maxBodyBytes {
		fault("body: got %d bytes, want 0 to %d", c.BodyBytes, maxBodyBytes)
	}
	if c.ReadTimeout <= 0 || c.WriteTimeout <= 0 || c.IdleTimeout <= 0 {
		fault("timeouts: got read %v, write %v, idle %v, want all above 0", c.ReadTimeout, c.WriteTimeout, c.IdleTimeout)
	}
	if c.Connections < 1 {
		fault("connections: got %d, want at least 1", c.Connections)
	}
	return errors.Join(faults...)
}
