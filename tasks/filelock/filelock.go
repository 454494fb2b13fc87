// Package filelock keeps processes from working in one folder at the same time.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// poll is how often a lock that somebody holds is tried again: flock(2) without
// LOCK_NB could not be interrupted by a context.
const poll = 100 * time.Millisecond

// Take takes the lock file at path, exclusively, and returns what gives it back; the
// kernel does so when the process dies. The file is made where there is none, and
// stays. waiting is called once where another holds the lock. The end of the context
// ends the wait; the error then is its cause, and any other is "path: lock: cause".
func Take(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("%s: lock: %w", path, cause(err))
	}
	for first := true; ; first = false {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(fmt.Errorf("%s: lock: %w", path, err), file.Close())
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), file.Close())
		case <-time.After(poll):
		}
	}
}

// cause takes off what a *fs.PathError says of the path, which stands before it.
func cause(err error) error {
	var failed *os.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
