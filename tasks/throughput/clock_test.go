package throughput

import (
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/perfpin/perfpin/tasks/tool"
)

// burn uses processor time on a thread that ends with it, and returns how much.
func burn(t *testing.T, most time.Duration) time.Duration {
	t.Helper()
	spent := make(chan time.Duration)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		var at unix.Timespec
		for time.Duration(at.Nano()) < most {
			if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at); err != nil {
				t.Error(err)
				break
			}
		}
		spent <- time.Duration(at.Nano())
	}()
	return <-spent
}

func TestCPUTimeCountsThreadsThatHaveEnded(t *testing.T) {
	before, err := cpuTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	spent := burn(t, 30*time.Millisecond)
	// The thread is added up when it has ended, a moment after it has spoken.
	after, err := cpuTime(os.Getpid())
	for tries := 0; err == nil && after-before < spent && tries < 1000; tries++ {
		time.Sleep(time.Millisecond)
		after, err = cpuTime(os.Getpid())
	}
	if err != nil || after-before < spent {
		t.Errorf("got %v more, a thread alone used %v; %v", after-before, spent, err)
	}
	if after%statTick == 0 && before%statTick == 0 {
		t.Errorf("%v and %v: not in nanoseconds", before, after)
	}
}

func TestCPUTimeOfAnotherProcess(t *testing.T) {
	c := tool.Command{Path: "/bin/sh", Args: []string{"-c", "while :; do :; done"}}
	child, err := c.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var last time.Duration
	for last < 20*time.Millisecond {
		now, err := cpuTime(child.Pid())
		if err != nil || now < last {
			t.Fatalf("got %v after %v, %v", now, last, err)
		}
		last = now
	}
	slow, err := cpuTimeStat(child.Pid())
	if now, _ := cpuTime(child.Pid()); err != nil || slow > now+statTick || slow < last-2*statTick {
		t.Errorf("/proc/PID/stat says %v, %v; the clock %v before and %v after", slow, err, last, now)
	}
	if peak, err := peakMemory(child.Pid()); err != nil || peak < 100<<10 || peak > 1<<30 {
		t.Errorf("peak memory: got %d, %v", peak, err)
	}
	if found, err := children(os.Getpid()); err != nil || !slices.Contains(found, child.Pid()) {
		t.Errorf("children: got %v, %v, want %d among them", found, err, child.Pid())
	}
	_ = child.Stop(syscall.SIGKILL, time.Minute) // says how it ended
	if got, err := cpuTime(child.Pid()); err == nil {
		t.Errorf("a process that has ended has used %v", got)
	}
}
