package throughput

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/perfpin/perfpin/tasks/tool"
)

// TestQuota demands that a quota holds a process back and leaves no cgroup behind,
// or, where cgroups may not be made, that the reason is told.
func TestQuota(t *testing.T) {
	child, err := tool.Command{Path: "/bin/sh", Args: []string{"-c", "while :; do :; done"}}.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q, err := newQuota([]int{child.Pid()})
	if err != nil {
		_ = child.Stop(9, time.Second)
		var path *os.PathError
		if !errors.As(err, &path) && !strings.Contains(err.Error(), "no cgroup has a controller for processor time") {
			t.Errorf("got %v, want the file that is in the way, or that there is no controller", err)
		}
		return
	}
	if err := errors.Join(q.set(1), q.set(0.2)); err != nil {
		t.Error(err)
	}
	for tries := 0; ; tries++ {
		n, err := q.throttled()
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			break
		}
		if tries == 1000 {
			t.Fatal("was never held back")
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = child.Stop(9, time.Second)
	if err := q.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(q.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", q.dir, err)
	}
}
