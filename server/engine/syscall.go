package engine

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// These calls do not block, so they go past the Go run time, which would
// otherwise get ready for each of them to block.

// poll gives the events that are there.
func poll(epoll int, events []unix.EpollEvent) (int, error) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_WAIT, uintptr(epoll),
		uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// receive reads what is there; EAGAIN if nothing is, and 0 at the end.
func receive(fd int, buf []byte) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd),
			uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}

// send writes as much of buf as there is room for; EAGAIN if there is none.
func send(fd int, buf []byte, flags uintptr) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd),
			uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), flags|unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}

// sendBoth writes head and then body, of which neither is empty.
func sendBoth(fd int, vector *[2]unix.Iovec, head, body []byte) (int, error) {
	vector[0].Base, vector[1].Base = &head[0], &body[0]
	vector[0].SetLen(len(head))
	vector[1].SetLen(len(body))
	for {
		n, _, errno := syscall.RawSyscall(unix.SYS_WRITEV, uintptr(fd), uintptr(unsafe.Pointer(vector)), 2)
		switch errno {
		case 0:
			*vector = [2]unix.Iovec{}
			return int(n), nil
		case unix.EINTR:
		default:
			*vector = [2]unix.Iovec{}
			return 0, errno
		}
	}
}
