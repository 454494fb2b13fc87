package tool_test

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/perfpin/perfpin/tasks/tool"
)

func TestStop(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		grace  time.Duration
		check  func(error) bool
	}{
		"a program that obeys": {
			`trap "exit 0" TERM; echo; while :; do sleep 0.01; done`, patience,
			func(err error) bool { return err == nil },
		},
		"a program that dies of it": {
			`echo; exec sleep 1000`, patience,
			func(err error) bool {
				var failure *tool.Error
				return errors.As(err, &failure) && failure.Signal == syscall.SIGTERM
			},
		},
		"a program that does not": {
			`trap "" TERM; echo; while :; do sleep 0.01; done`, 200 * time.Millisecond,
			func(err error) bool {
				var timeout *tool.TimeoutError
				return errors.As(err, &timeout)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := &notifier{wrote: make(chan struct{})}
			c := shell(test.script)
			c.Stdout = out
			child, err := c.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			<-out.wrote
			if err := child.Stop(syscall.SIGTERM, test.grace); !test.check(err) {
				t.Errorf("got %v", err)
			}
			if err := child.Stop(syscall.SIGTERM, test.grace); !test.check(err) {
				t.Errorf("the second time: got %v", err)
			}
			requireDead(t, strconv.Itoa(child.Pid()))
		})
	}
}

func TestCPUs(t *testing.T) {
	var before, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	cpu := 0
	for !before.IsSet(cpu) {
		cpu++
	}
	var out bytes.Buffer
	c := shell("grep Cpus_allowed_list /proc/self/status")
	c.CPUs = []int{cpu}
	c.Stdout = &out
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Fields(out.String()), strconv.Itoa(cpu); len(got) != 2 || got[1] != want {
		t.Errorf("got %q, want %s", out.String(), want)
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		tid, err := strconv.Atoi(thread.Name())
		if err != nil {
			t.Fatal(err)
		}
		// A thread that has ended since has no processors to compare.
		if err := unix.SchedGetaffinity(tid, &after); err == nil && after != before {
			t.Errorf("thread %d has other processors than before: %v, not %v", tid, after, before)
		}
	}
}
