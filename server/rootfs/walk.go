package rootfs

import (
	"strings"

	"golang.org/x/sys/unix"
)

// maxLinks is the kernel's own bound on links in one resolution
// (path_resolution(7)).
const maxLinks = 40

// walk opens name below the root without openat2: one component at a time,
// never following a link by itself but splicing its target into the name.
func (r *Root) walk(name string, flags int) (int, error) {
	w := walker{dirs: []int{r.fd}}
	defer w.close()
	pending := strings.Split(name, "/")
	for len(pending) > 0 {
		component := pending[0]
		pending = pending[1:]
		switch component {
		case "", ".":
			continue
		case "..":
			if err := w.leave(); err != nil {
				return -1, err
			}
			continue
		}
		fd, err := unix.Openat(w.dir(), component, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return -1, err
		}
		found, target, err := w.enter(fd)
		if err != nil {
			return -1, err
		}
		switch {
		case target != "":
			pending = append(strings.Split(target, "/"), pending...)
		case found == Directory:
		case len(pending) > 0:
			return -1, unix.ENOTDIR
		default:
			return unix.Openat(w.dir(), component, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		}
	}
	return unix.Openat(w.dir(), ".", flags|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

// walker is where a walk stands: the directories from the root down. The
// first belongs to the Root.
type walker struct {
	dirs  []int
	links int
}

func (w *walker) dir() int { return w.dirs[len(w.dirs)-1] }

func (w *walker) close() {
	for _, fd := range w.dirs[1:] {
		unix.Close(fd)
	}
}

// leave goes to the parent, which is where the walk came from and not what
// ".." says: a directory moved away meanwhile cannot lead out.
func (w *walker) leave() error {
	last := len(w.dirs) - 1
	if last == 0 {
		return ErrOutside
	}
	unix.Close(w.dirs[last])
	w.dirs = w.dirs[:last]
	return nil
}

// enter takes over fd: a directory becomes the walk's place, a link gives its
// target, and for anything else only its kind is told.
func (w *walker) enter(fd int) (Kind, string, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return Other, "", err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		w.dirs = append(w.dirs, fd)
		return Directory, "", nil
	}
	defer unix.Close(fd)
	if st.Mode&unix.S_IFMT != unix.S_IFLNK {
		return kindOf(st.Mode), "", nil
	}
	w.links++
	if w.links > maxLinks {
		return Other, "", unix.ELOOP
	}
	target, err := readLink(fd)
	if err == nil && strings.HasPrefix(target, "/") {
		err = ErrOutside
	}
	return Other, target, err
}

// readLink reads the link that the O_PATH descriptor fd stands for; an empty
// name means the descriptor itself (readlinkat(2)).
func readLink(fd int) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(fd, "", buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}
