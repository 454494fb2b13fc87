package rootfs

import (
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// Kind is what a name stands for.
type Kind uint8

// The kinds. Other is everything that is never opened: devices, FIFOs,
// sockets.
const (
	Other Kind = iota
	Regular
	Directory
)

// Info is the state of a file as far as it shows whether the content may have
// changed. Two equal values are the same version, unless a change fell into
// the same tick of the kernel's clock: see Settled.
type Info struct {
	Dev, Ino uint64
	Size     int64 // bytes
	Mtime    int64 // nanoseconds since 1970, set by whoever likes
	Ctime    int64 // nanoseconds since 1970, set by the kernel alone
	Kind     Kind
}

// Settling is how long after its last change a file counts as fresh. The
// kernel stamps a write when it begins, with a clock of one tick, 1 to 10 ms
// (CONFIG_HZ 1000 to 100): a second write in the same tick, or one that is
// still copying, does not show. A writer would have to be stopped in the
// middle of one write(2) for longer than this to go unnoticed.
const Settling = 100 * time.Millisecond

// Settled tells whether any later change will show in the Info. It asks the
// kernel's coarse clock, which is the one that stamps files, and not the
// caller's.
func (i Info) Settled() bool {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now); err != nil {
		return false
	}
	return now.Nano()-i.Ctime > int64(Settling)
}

// File is a regular file opened for reading.
type File struct{ fd int }

// FD is the descriptor, for sendfile(2) with an explicit offset. It stays the
// File's own.
func (f *File) FD() int { return f.fd }

// Stat tells the present state of the opened file.
func (f *File) Stat() (Info, error) { return statFD(f.fd) }

// Close closes the descriptor.
func (f *File) Close() error { return unix.Close(f.fd) }

// ReadAt is io.ReaderAt: several calls may run at once.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := unix.Pread(f.fd, p[done:], off+int64(done))
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return done, err
		case n == 0:
			return done, io.EOF
		}
		done += n
	}
	return done, nil
}

func statFD(fd int) (Info, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return Info{}, err
	}
	return Info{
		Dev: st.Dev, Ino: st.Ino, Size: st.Size,
		Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(),
		Kind: kindOf(st.Mode),
	}, nil
}

func kindOf(mode uint32) Kind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return Regular
	case unix.S_IFDIR:
		return Directory
	}
	return Other
}
