package tasks

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReadHistoryHasTheNewestLines(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, filepath.FromSlash(historyFile))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("one\ntwo\nthree\nfour"), 0o666); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int64]struct {
		lines  string
		before int
	}{
		100: {"one\ntwo\nthree\nfour", 0},
		18:  {"one\ntwo\nthree\nfour", 0},
		17:  {"two\nthree\nfour", 1}, // "ne" is no line
		12:  {"three\nfour", 2},
		10:  {"four", 3}, // nothing tells that "three" is whole
		3:   {"", 4},
	} {
		lines, before, err := readHistory(root, most)
		if err != nil || string(lines) != want.lines || before != want.before {
			t.Errorf("%d bytes: got %q after %d, %v; want %q after %d", most, lines, before, err, want.lines, want.before)
		}
	}
}
