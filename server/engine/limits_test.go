package engine_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server/engine"

	"golang.org/x/sys/unix"
)

// short is a timeout that falls due within a test.
const short = 100 * time.Millisecond

// atSomePace tries a test that is right only if its own process is not held up
// for longer than a timeout: at a quick pace, and then at slower ones. It
// demands that one of them does.
func atSomePace(t *testing.T, try func(pace time.Duration) error) {
	t.Helper()
	var failures []error
	for _, pace := range []time.Duration{short, 4 * short, 16 * short, 64 * short} {
		err := try(pace)
		if err == nil {
			return
		}
		failures = append(failures, fmt.Errorf("pace %v: %w", pace, err))
	}
	t.Error(errors.Join(failures...))
}

func TestReadTimeout(t *testing.T) {
	site, _ := openSite(t)
	e := startUntilEnd(t, site, func(c *engine.Config) { c.ReadTimeout = short })
	for name, raw := range map[string]string{
		"half a line":  "GET / HT",
		"half a head":  "GET / HTTP/1.1\r\nHost: x\r\nX: ",
		"half a body":  "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n123",
		"half a chunk": chunked + "3\r\na",
	} {
		c := e.dial(t)
		c.send(ask("small.txt") + raw)
		c.expect("small.txt")
		resp, _ := c.receive()
		if resp.StatusCode != 408 || !resp.Close {
			t.Errorf("%s: got %v, want 408 and the end", name, resp)
		}
		c.expectEnd()
	}
	// One that sends a byte now and then has no more time.
	slow := e.dial(t)
	go func() {
		for _, err := slow.Write([]byte("G")); err == nil; _, err = slow.Write([]byte("G")) {
			time.Sleep(30 * time.Millisecond)
		}
	}()
	if resp, _ := slow.receive(); resp.StatusCode != 408 {
		t.Errorf("byte by byte: got %v, want 408", resp)
	}
	// One that has not begun has all the time.
	c := e.dial(t)
	time.Sleep(300 * time.Millisecond)
	c.send(ask("small.txt"))
	c.expect("small.txt")
}

func TestIdleTimeout(t *testing.T) {
	site, _ := openSite(t)
	atSomePace(t, func(pace time.Duration) error {
		e := startUntilEnd(t, site, func(c *engine.Config) { c.IdleTimeout = pace })
		e.dial(t).expectEnd()
		c := e.dial(t)
		c.send(ask("small.txt"))
		resp, err := http.ReadResponse(c.in, nil)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		c.expectEnd()
		return err
	})
}

func TestWriteTimeout(t *testing.T) {
	site, _ := openSite(t)
	for _, name := range []string{"large.bin", "memory.bin"} {
		atSomePace(t, func(pace time.Duration) error {
			c := startUntilEnd(t, site, func(c *engine.Config) { c.WriteTimeout = short }).dial(t)
			c.send(strings.Repeat(ask(name), 20))
			time.Sleep(7 * pace)
			n, err := io.Copy(io.Discard, c)
			if errors.Is(err, os.ErrDeadlineExceeded) || n >= 20*int64(len(files[name])) {
				return fmt.Errorf("%s: taking nothing: got %d bytes and %v, want the end before all", name, n, err)
			}
			return nil
		})
	}
}

// TestSlowReaderHasTime takes longer than the timeout in all, but not for any
// piece.
func TestSlowReaderHasTime(t *testing.T) {
	site, _ := openSite(t)
	atSomePace(t, func(pace time.Duration) error {
		c := startUntilEnd(t, site, func(c *engine.Config) { c.WriteTimeout = 5 * pace }).dial(t)
		c.send(ask("large.bin") + ask("large.bin", "Connection: close"))
		total, pieces := int64(0), 0
		for ; ; pieces++ {
			n, err := io.CopyN(io.Discard, c, 2<<20)
			total += n
			if err == io.EOF {
				break
			} else if err != nil {
				return err
			}
			time.Sleep(pace)
		}
		if pieces < 10 || total < 2*int64(len(files["large.bin"])) {
			return fmt.Errorf("got %d bytes in %d pieces, want twice the file's %d and more", total, pieces, len(files["large.bin"]))
		}
		return nil
	})
}

func TestConnectionLimit(t *testing.T) {
	site, _ := openSite(t)
	e := startUntilEnd(t, site, func(c *engine.Config) { c.Connections = 3 })
	var conns []*client
	for range 3 {
		c := e.dial(t)
		c.send(ask("small.txt"))
		c.expect("small.txt")
		conns = append(conns, c)
	}
	for range 3 {
		if n, err := e.dial(t).Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("one connection too many: got %d bytes and %v, want the end", n, err)
		}
	}
	conns[0].Close()
	await(t, "a place that was given back", func() bool {
		c := e.dial(t)
		defer c.Close()
		io.WriteString(c, ask("small.txt"))
		resp, err := http.ReadResponse(c.in, nil)
		return err == nil && resp.StatusCode == 200
	})
	conns[1].send(ask("small.txt"))
	conns[1].expect("small.txt")
}

// await asks until it is so.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: never came", what)
		}
	}
}

// TestNoDescriptorsLeft takes away the descriptors, and gives them back.
func TestNoDescriptorsLeft(t *testing.T) {
	site, _ := openSite(t)
	e := startUntilEnd(t, site, nil)
	first := e.dial(t)
	first.send(ask("small.txt"))
	first.expect("small.txt")

	second, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	file := os.NewFile(uintptr(second), "second")
	defer file.Close()
	var before unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &before))
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &before)
	none := before
	none.Cur = 0 // what is open stays open (getrlimit(2))
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &none))
	_, port, _ := net.SplitHostPort(e.addr)
	n := 0
	for _, digit := range port {
		n = n*10 + int(digit-'0')
	}
	connected := unix.Connect(second, &unix.SockaddrInet4{Port: n, Addr: [4]byte{127, 0, 0, 1}})
	first.send(ask("small.txt"))
	first.expect("small.txt")
	must(t, errors.Join(connected, unix.Setrlimit(unix.RLIMIT_NOFILE, &before)))

	must(t, unix.SetsockoptTimeval(second, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: int64(patience / time.Second)}))
	_, err = unix.Write(second, []byte(ask("small.txt", "Connection: close")))
	must(t, err)
	all, err := io.ReadAll(file)
	if err != nil || !strings.HasSuffix(string(all), "hello, world") {
		t.Errorf("got %q and %v, want an answer once there are descriptors", all, err)
	}
}

// TestChangedFile changes files while they are sent: the connection ends
// before the length that was announced.
func TestChangedFile(t *testing.T) {
	site, root := openSite(t)
	e := startUntilEnd(t, site, nil)
	for name, change := range map[string]func(path string) error{
		"truncated": func(path string) error { return os.Truncate(path, 1<<20) },
		"rewritten": func(path string) error { return os.Chtimes(path, time.Now(), time.Now()) },
	} {
		path := filepath.Join(root, name)
		must(t, os.WriteFile(path, nil, 0o644))
		must(t, os.Truncate(path, 64<<20)) // more than the sockets can hold
		time.Sleep(200 * time.Millisecond)
		c := e.dial(t)
		c.send(ask(name))
		_, err := c.in.Peek(1)
		must(t, err)
		must(t, change(path))
		resp, err := http.ReadResponse(c.in, nil)
		must(t, err)
		if n, err := io.Copy(io.Discard, resp.Body); err == nil || resp.ContentLength != 64<<20 {
			t.Errorf("%s: got all of %d bytes, want the end before %d", name, n, resp.ContentLength)
		}
	}
}

func TestLog(t *testing.T) {
	site, _ := openSite(t)
	var mu sync.Mutex
	var lines []engine.Record
	e := startUntilEnd(t, site, func(c *engine.Config) {
		c.Log = func(r engine.Record) {
			mu.Lock()
			defer mu.Unlock()
			r.Method, r.Target = strings.Clone(r.Method), strings.Clone(r.Target)
			lines = append(lines, r)
		}
	})
	c := e.dial(t)
	c.send("GET /small.txt?a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + ask("large.bin") + ask("missing"))
	c.expect("small.txt")
	c.expect("large.bin")
	c.receive()
	mu.Lock()
	defer mu.Unlock()
	want := []engine.Record{
		{Method: "GET", Target: "/small.txt?a", Minor: 0, Status: 200, Sent: 12},
		{Method: "GET", Target: "/large.bin", Minor: 1, Status: 200, Sent: 12 << 20},
		{Method: "GET", Target: "/missing", Minor: 1, Status: 404, Sent: 10},
	}
	for i, line := range lines {
		want[i].Remote = c.LocalAddr().(*net.TCPAddr).AddrPort()
		if line != want[i] {
			t.Errorf("got %+v, want %+v", line, want[i])
		}
	}
	if len(lines) != len(want) {
		t.Errorf("got %d lines, want %d", len(lines), len(want))
	}
}
