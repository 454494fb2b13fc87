package tasks_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// TestMain gives scripts the command without-ptrace.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"without-ptrace": runWithoutPtrace})
}

// runWithoutPtrace runs a command for which ptrace(2) and process_vm_readv(2) fail with
// EPERM, as they do under the seccomp profiles of older container engines.
func runWithoutPtrace() {
	runtime.LockOSThread()
	if err := forbid(unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV); err != nil {
		fmt.Fprintln(os.Stderr, "without-ptrace:", err)
		os.Exit(1)
	}
	if err := unix.PtraceAttach(os.Getppid()); err != unix.EPERM {
		fmt.Fprintln(os.Stderr, "without-ptrace: ptrace is not refused:", err)
		os.Exit(1)
	}
	path, err := exec.LookPath(os.Args[1])
	if err == nil {
		err = syscall.Exec(path, os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "without-ptrace:", err)
	os.Exit(1)
}

// forbid makes system calls fail with EPERM in this thread and what it executes
// (seccomp(2), SECCOMP_MODE_FILTER; the numbers are those of this architecture).
func forbid(calls ...uint32) error {
	// Load the number of the call, the first field of struct seccomp_data.
	program := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}}
	for _, call := range calls {
		program = append(program,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		)
	}
	program = append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&filter)), 0, 0))
}
