package tool

import (
	"fmt"
	"strings"
	"syscall"
	"time"
)

// maxWhat is how much of the arguments an error repeats, in bytes.
const maxWhat = 120

// An Error tells that a program was started and did not succeed.
type Error struct {
	Path string
	Args []string
	// ExitCode is the program's exit status, or -1 when a signal ended it.
	ExitCode int
	// Signal is the signal that ended the program, or 0.
	Signal syscall.Signal
	// Cause tells why this package ended the program: a *TimeoutError, a
	// *MemoryError, or the end of the context. It is nil when the program ended by
	// itself.
	Cause error
	// Output is what the streams left nil were given: its end where there is a log,
	// else its beginning and its end.
	Output string
	// Log is the path of the log, or "".
	Log string
}

// Error is the output, if any, and then one line.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Output != "" {
		b.WriteString(e.Output)
		b.WriteByte('\n')
	}
	b.WriteString(e.Path)
	if what := e.what(); what != "" {
		b.WriteString(": " + what)
	}
	b.WriteString(": " + e.how())
	if e.Log != "" {
		fmt.Fprintf(&b, " (log: %s)", e.Log)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Cause }

func (e *Error) what() string {
	what := strings.Join(e.Args, " ")
	if len(what) > maxWhat {
		what = strings.ToValidUTF8(what[:maxWhat], "") + "…"
	}
	return what
}

func (e *Error) how() string {
	switch {
	case e.Cause != nil:
		return e.Cause.Error()
	case e.Signal != 0:
		return fmt.Sprintf("ended by signal %d (%v)", int(e.Signal), e.Signal)
	default:
		return fmt.Sprintf("exit status %d", e.ExitCode)
	}
}

// A TimeoutError tells that a program was killed for running longer than Limit.
type TimeoutError struct{ Limit time.Duration }

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("killed: still running after %v", e.Limit)
}

// A MemoryError tells that a program was killed for using more memory than Limit.
// Both are resident bytes, over the whole process group.
type MemoryError struct{ Limit, Seen int64 }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("killed: uses %d MiB of memory, the limit is %d MiB", e.Seen>>20, e.Limit>>20)
}
