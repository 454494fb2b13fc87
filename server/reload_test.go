package server_test

import (
	"bufio"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server"
	"github.com/perfpin/perfpin/server/reload"
)

// listenForEvents asks for the events and gives their lines.
func listenForEvents(t *testing.T, addr string) <-chan string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	_, err = conn.Write([]byte("GET " + reload.Path + " HTTP/1.1\r\nHost: x\r\n\r\n"))
	must(t, err)
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(conn); in.Scan(); {
			lines <- in.Text()
		}
	}()
	await(t, lines, "retry: 1000")
	return lines
}

// await reads up to a line.
func await(t *testing.T, lines <-chan string, want string) {
	t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				t.Fatalf("the events ended before %q", want)
			}
			if line == want {
				return
			}
		case <-timeout:
			t.Fatalf("no %q", want)
		}
	}
}

func TestLiveReload(t *testing.T) {
	root := fixtures(t)
	for _, f := range startFrontEnds(t, root, server.WithLiveReload()) {
		page := get(t, f.addr, "/")
		if page.body != "<body>home"+reload.Script+"</body>" && !strings.HasSuffix(page.body, reload.Script) || page.header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: page: got %v, want the script in it", f.name, page)
		}
		if r := get(t, f.addr, "/hello.txt"); r.body != "hello, world" {
			t.Errorf("%s: text: got %v, want it untouched", f.name, r)
		}
		if r, err := exchangeRaw(t, f.addr, "HEAD "+reload.Path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil || r.status != 404 {
			t.Errorf("%s: HEAD of the events: got %v and %v, want 404", f.name, r, err)
		}
		lines := listenForEvents(t, f.addr)
		changes := []func() error{
			func() error { return os.WriteFile(filepath.Join(root, "index.html"), []byte("new"), 0o644) },
			func() error { return os.MkdirAll(filepath.Join(root, "fresh", f.name), 0o755) },
			func() error { return os.WriteFile(filepath.Join(root, "fresh", f.name, "x"), nil, 0o644) },
			func() error { return os.Remove(filepath.Join(root, "fresh", f.name, "x")) },
		}
		for _, change := range changes {
			must(t, change())
			await(t, lines, "event: reload")
		}
		// Many changes at once are few events; hidden ones are none.
		must(t, os.WriteFile(filepath.Join(root, ".swap"), nil, 0o644))
		const burst = 200
		began := time.Now()
		for range burst {
			must(t, os.WriteFile(filepath.Join(root, "hello.txt"), []byte("hello, world"), 0o644))
		}
		must(t, os.WriteFile(filepath.Join(root, "last.txt"), nil, 0o644))
		await(t, lines, "event: reload")
		time.Sleep(300 * time.Millisecond)
		more := 0
		for len(lines) > 0 {
			if <-lines == "event: reload" {
				more++
			}
		}
		const apart = 50 * time.Millisecond // events are, and more
		if most := 5 + int(time.Since(began)/apart); more > most {
			t.Errorf("%s: %d events after a burst of %d changes, want at most %d", f.name, 1+more, burst, most)
		}
	}
}

func TestLiveReloadIsOffByDefault(t *testing.T) {
	for _, f := range startFrontEnds(t, fixtures(t)) {
		if r := get(t, f.addr, reload.Path); r.status != 404 {
			t.Errorf("%s: events: got %v, want 404", f.name, r)
		}
		if r := get(t, f.addr, "/"); r.body != "<body>home</body>" {
			t.Errorf("%s: page: got %v, want no script", f.name, r)
		}
	}
}
