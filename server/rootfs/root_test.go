package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// tree makes DIR/root with files of every kind, and DIR/outside beside it.
func tree(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(root, "a/b"), 0o755))
	must(os.Mkdir(filepath.Join(dir, "outside"), 0o755))
	must(os.WriteFile(filepath.Join(dir, "outside/secret"), []byte("canary"), 0o644))
	must(os.WriteFile(filepath.Join(root, "file"), []byte("content"), 0o644))
	must(os.WriteFile(filepath.Join(root, "a/b/deep"), []byte("deep"), 0o644))
	must(unix.Mkfifo(filepath.Join(root, "fifo"), 0o644))
	links := map[string]string{
		"in":        "a/b/deep",
		"a/up":      "../file",
		"dir":       "a/b",
		"chain":     "in",
		"out":       "../outside/secret",
		"outdir":    "../outside",
		"absolute":  filepath.Join(root, "file"),
		"loop":      "loop",
		"dangling":  "nothing",
		"magic":     "/proc/self/root",
		"a/b/climb": "../../../outside/secret",
		"self":      ".",
	}
	for name, target := range links {
		must(os.Symlink(target, filepath.Join(root, name)))
	}
	return root
}

// eachWay runs f with openat2 and with the walk that stands in for it.
func eachWay(t *testing.T, f func(t *testing.T, r *Root, dir string)) {
	for _, walks := range []bool{false, true} {
		t.Run(fmt.Sprintf("walks=%v", walks), func(t *testing.T) {
			dir := tree(t)
			r, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			r.walks = r.walks || walks
			f(t, r, dir)
		})
	}
}

func TestOpenFile(t *testing.T) {
	cases := []struct {
		name    string
		content string
		err     error
	}{
		{"file", "content", nil},
		{"a/b/deep", "deep", nil},
		{"in", "deep", nil},
		{"chain", "deep", nil},
		{"a/up", "content", nil},
		{"dir/deep", "deep", nil},
		{"dir/../up", "content", nil}, // the physical parent, as the kernel has it
		{"self/self/file", "content", nil},
		{"./a//b/./deep", "deep", nil},
		{"out", "", ErrOutside},
		{"outdir/secret", "", ErrOutside},
		{"absolute", "", ErrOutside},
		{"magic/etc/passwd", "", ErrOutside},
		{"a/b/climb", "", ErrOutside},
		{"..", "", ErrOutside},
		{"../outside/secret", "", ErrOutside},
		{"a/../../outside/secret", "", ErrOutside},
		{"loop", "", unix.ELOOP},
		{"dangling", "", fs.ErrNotExist},
		{"nothing", "", fs.ErrNotExist},
		{"file/", "", unix.ENOTDIR},
		{"file/.", "", unix.ENOTDIR},
		{"file/x", "", unix.ENOTDIR},
		{"a", "", ErrNotRegular},
		{".", "", ErrNotRegular},
		{"fifo", "", ErrNotRegular},
		{strings.Repeat("n", 300), "", unix.ENAMETOOLONG},
	}
	eachWay(t, func(t *testing.T, r *Root, _ string) {
		for _, c := range cases {
			f, info, err := r.OpenFile(c.name)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Errorf("%q: got error %v, want %v", c.name, err, c.err)
			}
			if err != nil {
				continue
			}
			got := make([]byte, info.Size)
			if _, err := f.ReadAt(got, 0); err != nil || string(got) != c.content {
				t.Errorf("%q: got %q and %v, want %q", c.name, got, err, c.content)
			}
			f.Close()
		}
	})
}

func TestSocketIsNotOpened(t *testing.T) {
	eachWay(t, func(t *testing.T, r *Root, dir string) {
		l, err := net.Listen("unix", filepath.Join(dir, "sock"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if _, _, err := r.OpenFile("sock"); !errors.Is(err, ErrNotRegular) {
			t.Errorf("socket: got %v, want %v", err, ErrNotRegular)
		}
	})
}

// TestSwappedLink swaps a directory with a link out of the root again and
// again while names below it are opened: the canary must not come up.
func TestSwappedLink(t *testing.T) {
	eachWay(t, func(t *testing.T, r *Root, dir string) {
		swapped := filepath.Join(dir, "swapped")
		if err := os.Mkdir(swapped, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(swapped, "secret"), []byte("inside"), 0o644); err != nil {
			t.Fatal(err)
		}
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for {
				select {
				case <-stop:
					return
				default:
				}
				unix.Renameat2(unix.AT_FDCWD, swapped, unix.AT_FDCWD, filepath.Join(dir, "outdir"), unix.RENAME_EXCHANGE)
			}
		}()
		served := 0
		for range 5000 {
			f, _, err := r.OpenFile("swapped/secret")
			if err != nil {
				continue
			}
			got := make([]byte, 6)
			f.ReadAt(got, 0)
			f.Close()
			served++
			if string(got) != "inside" {
				t.Fatalf("swapped/secret: got %q, want %q", got, "inside")
			}
		}
		close(stop)
		<-done
		if served == 0 {
			t.Error("swapped/secret: never opened, want now and then")
		}
	})
}

func TestReadDirLeavesOutWhatLeadsOut(t *testing.T) {
	eachWay(t, func(t *testing.T, r *Root, _ string) {
		entries, err := r.ReadDir(".")
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]Kind{}
		for _, e := range entries {
			got[e.Name] = e.Info.Kind
		}
		want := map[string]Kind{
			"a": Directory, "dir": Directory, "self": Directory,
			"file": Regular, "in": Regular, "chain": Regular, "fifo": Other,
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("entries: got %v, want %v", got, want)
		}
	})
}

func TestOpenRefusesWhatIsNoDirectory(t *testing.T) {
	dir := tree(t)
	for _, name := range []string{"file", "nothing", "fifo"} {
		if r, err := Open(filepath.Join(dir, name)); err == nil {
			r.Close()
			t.Errorf("root %q: got no error, want one", name)
		}
	}
}

func TestNoDescriptorIsLeft(t *testing.T) {
	eachWay(t, func(t *testing.T, r *Root, _ string) {
		count := func() int {
			names, err := os.ReadDir("/proc/self/fd")
			if err != nil {
				t.Fatal(err)
			}
			return len(names)
		}
		before := count()
		for _, name := range []string{"file", "chain", "out", "a/b/climb", "fifo", "a", "loop", "file/x", "dir/../.."} {
			if f, _, err := r.OpenFile(name); err == nil {
				f.Close()
			}
			r.ReadDir(name)
		}
		if after := count(); after != before {
			t.Errorf("open descriptors: got %d, want %d", after, before)
		}
	})
}

// FuzzResolve holds the walk to what the kernel does: both open the same file
// or neither opens one.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{"file", "dir/../up", "out", "a/b/climb", "self/../..", "file/.", "loop", "a//b/"} {
		f.Add(s)
	}
	dir := tree(f)
	kernel, err := Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	walker := &Root{fd: kernel.fd, walks: true}
	f.Fuzz(func(t *testing.T, name string) {
		if strings.HasPrefix(name, "/") || name == "" || len(name) >= unix.PathMax {
			return
		}
		a, errA := kernel.Stat(name)
		b, errB := walker.Stat(name)
		if (errA == nil) != (errB == nil) || a != b {
			t.Errorf("%q: openat2 gave %v, %v and the walk %v, %v", name, a, errA, b, errB)
		}
	})
}
