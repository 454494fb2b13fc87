package core_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server/core"
)

// frozen is a clock that stands until it is moved.
type frozen struct{ nanos atomic.Int64 }

func (f *frozen) now() time.Time          { return modified.Add(time.Hour + time.Duration(f.nanos.Load())) }
func (f *frozen) advance(d time.Duration) { f.nanos.Add(int64(d)) }

func TestRevalidation(t *testing.T) {
	root := fixtures(t)
	var clock frozen
	site := open(t, root, func(c *core.Config) { c.Clock = clock.now })
	always := open(t, root, func(c *core.Config) { c.Clock, c.Revalidate = clock.now, 0 })
	settle()
	old := get(t, site, "/hello.txt")
	get(t, always, "/hello.txt")

	// The same length and the same mtime: only the ctime tells.
	write(t, root, "hello.txt", "HELLO, WORLD")
	if a := get(t, always, "/hello.txt"); a.body != "HELLO, WORLD" {
		t.Errorf("interval 0: got %q, want the new content", a.body)
	}
	clock.advance(time.Second - 1)
	if a := get(t, site, "/hello.txt"); a.body != "hello, world" {
		t.Errorf("within the interval: got %q, want the cached content", a.body)
	}
	clock.advance(1)
	a := get(t, site, "/hello.txt")
	if a.body != "HELLO, WORLD" || a.fields["ETag"] == old.fields["ETag"] {
		t.Errorf("after the interval: got %v, want the new content and tag", a)
	}
	settle()
	get(t, site, "/hello.txt") // now from the cache
	clock.advance(-time.Hour)
	write(t, root, "hello.txt", "back")
	if a := get(t, site, "/hello.txt"); a.body != "back" {
		t.Errorf("clock set back: got %q, want a look at the file", a.body)
	}
}

// TestChangesAroundACachedFile changes everything an answer depends on but
// the file's own content.
func TestChangesAroundACachedFile(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "canary")
	if err := os.WriteFile(outside, []byte("canary"), 0o644); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name   string
		change func(root string) error
		want   string
	}{
		{"removed", func(root string) error { return os.Remove(root + "/dir/f.txt") }, "404 Not Found\n"},
		{"sidecar added", func(root string) error { return os.WriteFile(root+"/dir/f.txt.br", []byte("br"), 0o644) }, "200 br"},
		{"sidecar removed", func(root string) error { return os.Remove(root + "/dir/f.txt.gz") }, "200 plain"},
		{"sidecar made stale", func(root string) error {
			return os.Chtimes(root+"/dir/f.txt.gz", modified, modified.Add(-time.Second))
		}, "200 plain"},
		{"sidecar leads out", func(root string) error {
			return errors.Join(os.Remove(root+"/dir/f.txt.gz"), os.Symlink(outside, root+"/dir/f.txt.gz"))
		}, "200 plain"},
		{"leads out", func(root string) error {
			return errors.Join(os.Remove(root+"/dir/f.txt"), os.Symlink(outside, root+"/dir/f.txt"))
		}, "404 Not Found\n"},
		{"directory leads out", func(root string) error {
			return errors.Join(os.Rename(root+"/dir", root+"/gone"), os.Symlink(filepath.Dir(outside), root+"/dir"))
		}, "404 Not Found\n"},
		{"directory gone", func(root string) error { return os.RemoveAll(root + "/dir") }, "404 Not Found\n"},
		{"root gone", func(root string) error { return os.RemoveAll(root) }, "404 Not Found\n"},
		{"a FIFO instead", func(root string) error {
			return errors.Join(os.Remove(root+"/dir/f.txt"), mkfifo(root+"/dir/f.txt"))
		}, "404 Not Found\n"},
	}
	for _, c := range cases {
		for _, interval := range []time.Duration{0, time.Second} {
			root := filepath.Join(t.TempDir(), "root")
			write(t, root, "dir/f.txt", "plain")
			write(t, root, "dir/f.txt.gz", "gz")
			var clock frozen
			site := open(t, root, func(conf *core.Config) { conf.Clock, conf.Revalidate = clock.now, interval })
			settle()
			req := core.Request{Target: "/dir/f.txt", AcceptEncoding: "gzip, br"}
			if a := ask(t, site, req); a.body != "gz" {
				t.Fatalf("%s: before: got %v, want the sidecar", c.name, a)
			}
			if err := c.change(root); err != nil {
				t.Fatal(err)
			}
			clock.advance(interval)
			if a := ask(t, site, req); fmt.Sprint(a.status, " ", a.body) != c.want {
				t.Errorf("%s: got %d %q, want %q", c.name, a.status, a.body, c.want)
			}
		}
	}
}

func TestCacheStaysWithinItsBound(t *testing.T) {
	root := t.TempDir()
	const files, size, bound = 60, 10 << 10, 200 << 10
	for i := range files {
		write(t, root, fmt.Sprintf("f%d.txt", i), strings.Repeat(string(rune('A'+i)), size))
	}
	write(t, root, "big.txt", strings.Repeat("x", bound+1))
	site := open(t, root, func(c *core.Config) { c.CacheBytes = bound })
	settle()
	full := int64(0)
	for i := range 5 * files {
		i = i * 7 % files
		if a := get(t, site, fmt.Sprintf("/f%d.txt", i)); a.body != strings.Repeat(string(rune('A'+i)), size) {
			t.Fatalf("f%d.txt: got %.10q…, want its own content", i, a.body)
		}
		if a := get(t, site, "/big.txt"); len(a.body) != bound+1 {
			t.Fatalf("big.txt: got %d bytes, want %d", len(a.body), bound+1)
		}
		counted, sum := site.CachedBytes()
		if counted != sum || counted > bound {
			t.Fatalf("cache: counted %d, adds up to %d, bound %d", counted, sum, bound)
		}
		full = max(full, counted)
	}
	if full < bound/2 {
		t.Errorf("cache: never held more than %d of %d bytes", full, bound)
	}
}

// TestVersionsAreNeverMixed replaces a file again and again while it is read:
// each answer is of one letter, and each strong tag stands for one letter.
func TestVersionsAreNeverMixed(t *testing.T) {
	const size = 96 << 10
	for _, c := range []struct {
		name   string
		change func(*core.Config)
	}{
		{"every request", func(c *core.Config) { c.Revalidate = 0 }},
		{"interval", func(c *core.Config) { c.Revalidate = time.Millisecond }},
		{"from the file", func(c *core.Config) { c.Revalidate, c.CacheFileBytes = 0, 0 }},
		{"no cache", func(c *core.Config) { c.CacheBytes = 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, "f", strings.Repeat("a", size))
			site := open(t, root, c.change)
			stop := make(chan struct{})
			var work, readers sync.WaitGroup
			work.Go(func() { replace(t, filepath.Join(root, "f"), size, stop) })
			var letters sync.Map
			for range 2 {
				readers.Go(func() {
					for range 500 {
						a := get(t, site, "/f")
						if a.status != 200 || a.body != strings.Repeat(a.body[:1], size) {
							t.Errorf("got %d and a body from %q to %q, want 200 and one letter", a.status, a.body[0], a.body[len(a.body)-1])
							return
						}
						tag := a.fields["ETag"]
						if was, ok := letters.LoadOrStore(tag, a.body[0]); ok && was != a.body[0] && tag[0] == '"' {
							t.Errorf("tag %s: got %q and %q", tag, was, a.body[0])
						}
					}
				})
			}
			readers.Wait()
			close(stop)
			work.Wait()
		})
	}
}

// replace renames one new version after the other onto path.
func replace(t *testing.T, path string, size int, stop chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(i%5) * 300 * time.Microsecond):
		}
		content := strings.Repeat(string(rune('a'+i%26)), size)
		if err := errors.Join(os.WriteFile(path+".new", []byte(content), 0o644), os.Rename(path+".new", path)); err != nil {
			t.Error(err)
			return
		}
	}
}

// TestTornFileIsNotKept reads a file while it is half written, which shows in
// the answer, and again when it is whole.
func TestTornFileIsNotKept(t *testing.T) {
	root := t.TempDir()
	write(t, root, "f", strings.Repeat("a", 100))
	var clock frozen // stands: only what is not cached is read again
	site := open(t, root, func(c *core.Config) { c.Clock = clock.now })
	f, err := os.OpenFile(filepath.Join(root, "f"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, at := range []int64{0, 50} {
		if _, err := f.WriteAt([]byte(strings.Repeat("b", 50)), at); err != nil {
			t.Fatal(err)
		}
		get(t, site, "/f")
	}
	settle()
	if a := get(t, site, "/f"); a.body != strings.Repeat("b", 100) {
		t.Errorf("got %q, want the whole file", a.body)
	}
}

func TestOpenFilesAreLetGo(t *testing.T) {
	root := t.TempDir()
	for i := range 20 {
		write(t, root, fmt.Sprintf("f%d", i), strings.Repeat("x", 1000))
	}
	descriptors := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	config := core.Defaults()
	config.CacheFileBytes = 100
	before := descriptors()
	site, err := core.Open(root, config)
	if err != nil {
		t.Fatal(err)
	}
	settle()
	var held core.Response
	site.Handle(&core.Request{Method: "GET", Target: "/f0"}, &held)
	for i := range 20 {
		get(t, site, fmt.Sprintf("/f%d", i))
	}
	if n := descriptors(); n < before+20 {
		t.Errorf("descriptors in use: got %d, want %d kept open", n-before, 20)
	}
	site.Sweep()
	site.Sweep()
	if n := descriptors(); n != before+2 { // the root's and that of held
		t.Errorf("descriptors after two sweeps: got %d, want 2", n-before)
	}
	get(t, site, "/f1")
	site.Close()
	content := make([]byte, held.Section.Length)
	if _, err := held.Section.ReadAt(content, 0); err != nil {
		t.Errorf("answer held over Close: %v", err)
	}
	held.Release()
	held.Release()
	if n := descriptors(); n != before {
		t.Errorf("descriptors in the end: got %d, want none", n-before)
	}
}

func TestIntact(t *testing.T) {
	root := t.TempDir()
	write(t, root, "f", strings.Repeat("x", 1000))
	site := open(t, root, func(c *core.Config) { c.CacheFileBytes, c.Revalidate = 0, 0 })
	settle()
	for _, change := range []func(string) error{
		func(p string) error { return os.Truncate(p, 10) },
		func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("y", 1000)), 0o644) },
	} {
		var resp core.Response
		site.Handle(&core.Request{Method: "GET", Target: "/f"}, &resp)
		if err := resp.Section.Intact(); err != nil {
			t.Errorf("untouched: got %v, want nil", err)
		}
		if err := change(filepath.Join(root, "f")); err != nil {
			t.Fatal(err)
		}
		if err := resp.Section.Intact(); !errors.Is(err, core.ErrChanged) {
			t.Errorf("changed: got %v, want %v", err, core.ErrChanged)
		}
		resp.Release()
		write(t, root, "f", strings.Repeat("x", 1000))
		settle()
	}
}

func TestHitsAllocateNothing(t *testing.T) {
	site := open(t, fixtures(t), nil)
	settle()
	tag := get(t, site, "/hello.txt").fields["ETag"]
	for _, req := range []core.Request{
		{Method: "GET", Target: "/hello.txt"},
		{Method: "GET", Target: "/hello.txt?v=1"},
		{Method: "GET", Target: "/hello.txt", IfNoneMatch: tag},
		{Method: "GET", Target: "/app.js", AcceptEncoding: "gzip, deflate, br, zstd"},
		{Method: "HEAD", Target: "/hello.txt"},
		{Method: "GET", Target: "/with%20space/%C3%A9.txt"},
	} {
		var resp core.Response
		got := testing.AllocsPerRun(100, func() {
			site.Handle(&req, &resp)
			resp.Release()
		})
		if got != 0 {
			t.Errorf("%+v: got %v allocations, want none", req, got)
		}
	}
}
