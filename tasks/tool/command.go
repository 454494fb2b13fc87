package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// A Command is one run of a program.
type Command struct {
	// Path is the program's absolute path: nothing is looked up at this point.
	Path string
	// Arg0 is what the program sees as its own name; empty means Path.
	Arg0 string
	// Args are the arguments after Arg0. No shell sees them.
	Args []string
	// Dir is the working directory; empty means this process's.
	Dir string
	// Env is the whole environment. Nothing is inherited: nil is an empty one.
	Env []string

	// Stdin may be nil for /dev/null. A reader that is no *os.File is read by a
	// goroutine, which stays behind if the reader never returns.
	Stdin io.Reader
	// Stdout and Stderr get the output; a stream that is nil goes to Log. The same
	// writer may serve both: it is never called twice at once.
	Stdout, Stderr io.Writer
	// Log is the file that the streams left nil are appended to; it and its folder
	// are made when missing. Empty means that only both ends are kept, for the error.
	Log string
	// Line, when not nil, is called with each whole line, without its line feed, of
	// the streams left nil. The output waits for it.
	Line func(string)
	// Files are the program's file descriptors 3, 4, ….
	Files []*os.File

	// CPUs are the processors that the program may run on; empty means all that
	// this process may use.
	CPUs []int
	// MaxRSS is the most resident memory, in bytes, that the whole process group may
	// have; 0 means no limit. Exceeding it is a *MemoryError. It is polled, because
	// RLIMIT_AS would count what Go and valgrind only reserve.
	MaxRSS int64
	// Timeout is the longest that the run may take; 0 means no limit. Exceeding it is
	// a *TimeoutError.
	Timeout time.Duration
}

// Run starts the program, waits for it, and ends whatever is left of its process
// group. An error is a *Error, unless the program could not be started.
func (c Command) Run(ctx context.Context) error {
	child, err := c.Start(ctx)
	if err != nil {
		return err
	}
	return child.Wait()
}

// Start starts the program. It keeps running until it exits by itself, ctx ends,
// a limit is passed, or Stop is called. The caller must call Wait or Stop.
func (c Command) Start(ctx context.Context) (*Child, error) {
	if !filepath.IsAbs(c.Path) {
		return nil, fmt.Errorf("%s: start: the path is not absolute", c.Path)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s: start: %w", c.Path, cancellation(ctx))
	}
	streams, err := c.openStreams()
	if err != nil {
		return nil, fmt.Errorf("%s: start: %w", c.Path, err)
	}
	child := &Child{command: c, streams: streams, done: make(chan struct{})}
	started := make(chan error)
	go child.live(ctx, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s: start: %w", c.Path, errors.Join(err, streams.close()))
	}
	return child, nil
}

// cancellation tells why ctx ended. It satisfies errors.Is for ctx.Err(), which a
// cause such as "terminated signal received" alone does not.
func cancellation(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ctx.Err()) {
		return cause
	}
	return fmt.Errorf("%w: %w", ctx.Err(), cause)
}
