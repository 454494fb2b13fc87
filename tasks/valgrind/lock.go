package valgrind

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is how often a taken lock is tried again. flock(2) without LOCK_NB
// could not be interrupted by a context.
const lockPoll = 100 * time.Millisecond

// lock takes the lock file at path, exclusively, and returns what gives it back.
// The kernel gives it back when the process dies. waiting is called when another
// holds it.
func lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(os.NewSyscallError("flock", err), file.Close())
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), file.Close())
		case <-time.After(lockPoll):
		}
	}
}
