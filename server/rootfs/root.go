package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

var (
	// ErrNotRegular is returned by OpenFile for directories, devices, FIFOs
	// and sockets.
	ErrNotRegular = errors.New("not a regular file")
	// ErrOutside is returned for a name that leads out of the root.
	ErrOutside = errors.New("leads out of the root")
)

// maxRetries bounds the attempts when a rename elsewhere makes openat2 give
// up with EAGAIN, as it does for ".." under RESOLVE_BENEATH (openat2(2)).
const maxRetries = 64

// Root is a directory whose tree can be read. Its methods may be called from
// several goroutines at once, except Close.
type Root struct {
	fd int
	// walks tells that openat2 is missing and names are walked instead.
	walks bool
}

// Open opens the directory dir. It is an error if dir is not a directory.
func Open(dir string) (*Root, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("root %q: %w", dir, err)
	}
	r := &Root{fd: fd}
	probe, err := r.resolve(".", unix.O_PATH)
	switch {
	case err == nil:
		unix.Close(probe)
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
		r.walks = true
	default:
		unix.Close(fd)
		return nil, fmt.Errorf("root %q: %w", dir, err)
	}
	return r, nil
}

// Close ends the use of the root. Files opened from it stay open.
func (r *Root) Close() error { return unix.Close(r.fd) }

// Stat tells what name stands for, following links inside the root. The name
// is relative, with slashes; "." is the root.
func (r *Root) Stat(name string) (Info, error) {
	fd, err := r.resolve(name, unix.O_PATH)
	if err != nil {
		return Info{}, err
	}
	defer unix.Close(fd)
	return statFD(fd)
}

// OpenFile opens the regular file name for reading. The Info is that of the
// opened descriptor. For anything but a regular file it returns what was
// found and ErrNotRegular, and opens nothing.
func (r *Root) OpenFile(name string) (*File, Info, error) {
	seen, err := r.Stat(name)
	if err != nil {
		return nil, seen, err
	}
	if seen.Kind != Regular {
		return nil, seen, ErrNotRegular
	}
	// A FIFO could have taken the name's place since: O_NONBLOCK keeps the
	// open from waiting for a writer, and the second look refuses it.
	fd, err := r.resolve(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return nil, Info{}, err
	}
	info, err := statFD(fd)
	if err == nil && info.Kind != Regular {
		err = ErrNotRegular
	}
	if err != nil {
		unix.Close(fd)
		return nil, info, err
	}
	return &File{fd: fd}, info, nil
}

// Entry is one name in a directory. Info is that of what a link leads to.
type Entry struct {
	Name string
	Info Info
}

// ReadDir lists the directory name in the order of its file system, leaving
// out what cannot be looked at and links that lead out of the root.
func (r *Root) ReadDir(name string) ([]Entry, error) {
	fd, err := r.resolve(name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(fd), name)
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(names))
	for _, n := range names {
		info, err := r.Stat(name + "/" + n)
		if err != nil {
			continue
		}
		entries = append(entries, Entry{Name: n, Info: info})
	}
	return entries, nil
}

// IsMissing tells whether err means that the name stands for nothing that may
// be served: there is no such file, or it leads out of the root.
func IsMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrOutside) ||
		errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) ||
		errors.Is(err, unix.ENAMETOOLONG)
}

// resolve opens name below the root with flags.
func (r *Root) resolve(name string, flags int) (int, error) {
	if r.walks {
		return r.walk(name, flags)
	}
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_CLOEXEC),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	}
	for tries := 0; ; tries++ {
		fd, err := unix.Openat2(r.fd, name, &how)
		switch {
		case err == nil:
			return fd, nil
		case err == unix.EXDEV:
			return -1, ErrOutside
		case (err == unix.EINTR || err == unix.EAGAIN) && tries < maxRetries:
			continue
		}
		return -1, err
	}
}
