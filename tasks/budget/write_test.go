package budget

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func names(t *testing.T, directory string) string {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return strings.Join(all, " ")
}

func TestWriteKeepsModeAndLinks(t *testing.T) {
	directory := t.TempDir()
	real := filepath.Join(directory, "real.toml")
	link := filepath.Join(directory, "budgets.toml")
	if err := os.WriteFile(real, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(real, 0o640); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	if err := os.Symlink("real.toml", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(link); err != nil || target != "real.toml" {
		t.Errorf("the link is now %q, %v", target, err)
	}
	info, err := os.Stat(real)
	if err != nil || info.Mode().Perm() != 0o640 || string(readFile(t, real)) != "new" {
		t.Errorf("%v, %v, %s", info.Mode(), err, readFile(t, real))
	}
	if got := names(t, directory); got != "budgets.toml real.toml" {
		t.Errorf("left behind: %s", got)
	}
}

func TestWriteCreates(t *testing.T) {
	directory := t.TempDir()
	link := filepath.Join(directory, "link")
	if err := os.Symlink("new.toml", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got := string(readFile(t, filepath.Join(directory, "new.toml"))); got != "new" {
		t.Errorf("the target of a dangling link holds %q", got)
	}
}

func TestWriteFailureLeavesNothing(t *testing.T) {
	directory := t.TempDir()
	target := filepath.Join(directory, "budgets.toml")
	if err := os.Mkdir(target, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(target, []byte("new")); err == nil || !strings.Contains(err.Error(), "budgets.toml: write: ") {
		t.Errorf("got %v", err)
	}
	if err := Write(filepath.Join(directory, "absent", "budgets.toml"), nil); err == nil {
		t.Error("written into a directory that does not exist")
	}
	loop := filepath.Join(directory, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if err := Write(loop, nil); err == nil {
		t.Error("written through a link that points to itself")
	}
	if got := names(t, directory); got != "budgets.toml loop" {
		t.Errorf("left behind: %s", got)
	}
}

// TestWriteKilled kills a process that replaces the file again and again, and
// wants one whole text or the other each time.
func TestWriteKilled(t *testing.T) {
	const child = "PERFPIN_WRITE_UNTIL_KILLED"
	texts := []string{strings.Repeat("old\n", 100_000), strings.Repeat("new\n", 150_000)}
	if path := os.Getenv(child); path != "" {
		for i := 0; ; i++ {
			if err := Write(path, []byte(texts[i%2])); err != nil {
				t.Fatal(err)
			}
			os.Stdout.WriteString("written\n")
		}
	}
	path := filepath.Join(t.TempDir(), "budgets.toml")
	for kill := range 10 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWriteKilled$")
		cmd.Env = append(os.Environ(), child+"="+path)
		output, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		// Killed after a different number of writes and bytes each time.
		if _, err := io.ReadFull(output, make([]byte, 1+5*kill)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the child ended by itself")
		}
		if got := string(readFile(t, path)); got != texts[0] && got != texts[1] {
			t.Fatalf("%d bytes that are neither the old text nor the new", len(got))
		}
	}
}
