package filelock_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/perfpin/perfpin/tasks/filelock"
)

func TestTakeWaitsForAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := filelock.Take(t.Context(), path, func() { t.Error("waits although nobody holds it") })
	if err != nil {
		t.Fatal(err)
	}
	waits := 0
	again, err := filelock.Take(t.Context(), path, func() { waits++; unlock() })
	if err != nil || waits != 1 {
		t.Fatalf("got %v after %d waits, want the lock after 1", err, waits)
	}
	again()
}

func TestTakeEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := filelock.Take(t.Context(), path, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	reason := errors.New("no longer wanted")
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, err := filelock.Take(ctx, path, func() { cancel(reason) }); !errors.Is(err, reason) {
		t.Errorf("got %v, want %v", err, reason)
	}
}

func TestTakeNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "lock")
	_, err := filelock.Take(t.Context(), path, func() {})
	if want := path + ": lock: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
