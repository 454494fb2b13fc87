package server_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server"
	"github.com/perfpin/perfpin/server/rootfs"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"
)

// TestUnreadableFile asks, as a user who may not read it, for a file of mode 0.
func TestUnreadableFile(t *testing.T) {
	root := fixtures(t)
	must(t, os.Chmod(root, 0o755))
	must(t, os.Chmod(filepath.Join(root, "hello.txt"), 0))
	var reported []string
	s := newServer(t, root, server.WithErrorLog(func(err error) { reported = append(reported, err.Error()) }))

	// The superuser may read everything; its threads may put that off.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if os.Getuid() == 0 {
		must(t, unix.Setfsuid(65534))
		defer unix.Setfsuid(0)
	}
	w := record(s, "GET", "/hello.txt", nil)
	if w.Code != 403 || len(reported) != 1 || !strings.Contains(reported[0], `file "hello.txt": permission denied`) {
		t.Errorf("got %d, reported %q, want 403 and one report", w.Code, reported)
	}
}

// TestShrinkingFile truncates a file while it is sent: the connection ends
// before the length that was announced.
func TestShrinkingFile(t *testing.T) {
	root := fixtures(t)
	const size = 64 << 20 // more than the sockets can hold
	path := filepath.Join(root, "huge.bin")
	for _, f := range startFrontEnds(t, root, server.WithRevalidate(0)) {
		for name, change := range map[string]func() error{
			"truncated": func() error { return os.Truncate(path, 1<<20) },
			"rewritten": func() error { return os.Chtimes(path, time.Now(), time.Now()) },
		} {
			must(t, os.WriteFile(path, nil, 0o644))
			must(t, os.Truncate(path, size))
			time.Sleep(rootfs.Settling * 3 / 2)
			conn, err := net.Dial("tcp", f.addr)
			must(t, err)
			conn.SetDeadline(time.Now().Add(patience))
			io.WriteString(conn, "GET /huge.bin HTTP/1.1\r\nHost: x\r\n\r\n")
			in := bufio.NewReader(conn)
			head, err := in.Peek(1 << 10)
			must(t, err)
			if !bytes.Contains(head, []byte(fmt.Sprintf("Content-Length: %d", size))) {
				t.Fatalf("%s: %s: got the head %q", f.name, name, head)
			}
			must(t, change())
			if r, err := readReply(in, false); err == nil {
				t.Errorf("%s: %s: got all of %d bytes, want the end before", f.name, name, len(r.body))
			}
			conn.Close()
		}
	}
}

func TestAccessLog(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	fronts := startFrontEnds(t, fixtures(t), server.WithAccessLog(writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return log.Write(p)
	})), server.WithClock(func() time.Time { return modified }))
	for _, f := range fronts {
		get(t, f.addr, `/hello.txt?a="b"`)
		get(t, f.addr, "/large.bin", "Range: bytes=0-9")
	}
	mu.Lock()
	defer mu.Unlock()
	want := regexp.MustCompile(`^127\.0\.0\.1 - - \[01/Mar/2024:12:00:00 \+0000\] "GET /hello\.txt\?a=\\"b\\" HTTP/1\.1" 200 12\n` +
		`127\.0\.0\.1 - - \[01/Mar/2024:12:00:00 \+0000\] "GET /plain/a\.txt HTTP/1\.1" 200 1\n` +
		`.*"GET /large\.bin HTTP/1\.1" 206 10\n(.*\n){9}$`)
	if !want.MatchString(log.String()) {
		t.Errorf("got\n%s", log.String())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestSlowClientsAreLetGo sends too little, too slowly.
func TestSlowClientsAreLetGo(t *testing.T) {
	limits := server.DefaultLimits()
	limits.ReadTimeout, limits.IdleTimeout, limits.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond, 200*time.Millisecond
	root := fixtures(t)
	path := filepath.Join(root, "huge.bin")
	must(t, os.WriteFile(path, nil, 0o644))
	must(t, os.Truncate(path, 64<<20))
	for _, f := range own(startFrontEnds(t, root, server.WithLimits(limits))) {
		for _, sent := range []string{
			"",
			"GET / HT",
			"GET / HTTP/1.1\r\nHost: x\r\nX: ",
			"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n123",
			"GET / HTTP/1.1\r\nHost: x\r\n\r\n", // whole, and no more
		} {
			conn, err := net.Dial("tcp", f.addr)
			must(t, err)
			io.WriteString(conn, sent)
			conn.SetReadDeadline(time.Now().Add(patience))
			if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
				t.Errorf("%s: %q: got %v, want the end of the connection", f.name, sent, err)
			}
			conn.Close()
		}
		// A process that is itself held up may come late to its own timeout.
		pause := time.Second
		for takesNothing(t, f, pause) >= 64<<20 {
			if pause *= 4; pause > time.Minute {
				t.Errorf("%s: taking nothing: got the whole answer, want the end of the connection", f.name)
				break
			}
		}
	}
}

// takesNothing asks for a large answer and takes none of it for a while. It
// gives the bytes that came all the same.
func takesNothing(t *testing.T, f frontEnd, pause time.Duration) int64 {
	conn, err := net.Dial("tcp", f.addr)
	must(t, err)
	defer conn.Close()
	io.WriteString(conn, "GET /huge.bin HTTP/1.1\r\nHost: x\r\n\r\n")
	time.Sleep(pause)
	conn.SetReadDeadline(time.Now().Add(patience))
	n, err := io.Copy(io.Discard, conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%s: taking nothing: the connection does not end", f.name)
	}
	return n
}

func TestConnectionLimit(t *testing.T) {
	limits := server.DefaultLimits()
	limits.Connections = 3
	ask := func(conn net.Conn) int {
		conn.SetDeadline(time.Now().Add(patience))
		io.WriteString(conn, "GET /hello.txt HTTP/1.1\r\nHost: x\r\n\r\n")
		r, err := readReply(bufio.NewReader(conn), false)
		if err != nil {
			return 0
		}
		return r.status
	}
	for _, f := range own(startFrontEnds(t, fixtures(t), server.WithLimits(limits))) {
		served := 0
		for range 5 {
			conn, err := net.Dial("tcp", f.addr)
			must(t, err)
			defer conn.Close()
			if ask(conn) == 200 {
				served++
			}
		}
		if served != 3 {
			t.Errorf("%s: 5 connections: %d were served, want 3", f.name, served)
		}
	}
}

// TestNothingIsLeft counts goroutines and descriptors before and after a load
// of connections, of which many are cut off.
func TestNothingIsLeft(t *testing.T) {
	root := fixtures(t)
	descriptors := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		must(t, err)
		return len(names)
	}
	new(fasthttp.ResponseHeader).Header() // starts a clock that runs for good
	listen(t).Close()                     // opens what the run time keeps for sockets
	for _, which := range []server.FrontEnd{server.FastHTTP, server.EventLoop} {
		goroutines, files := runtime.NumGoroutine(), descriptors()
		loadAndClose(t, root, which)
		deadline := time.Now().Add(patience)
		for runtime.NumGoroutine() > goroutines || descriptors() > files {
			if time.Now().After(deadline) {
				buf := make([]byte, 1<<20)
				t.Fatalf("front end %d: goroutines: got %d, want %d; descriptors: got %d, want %d\n%s", which, runtime.NumGoroutine(), goroutines,
					descriptors(), files, buf[:runtime.Stack(buf, true)])
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func loadAndClose(t *testing.T, root string, which server.FrontEnd) {
	l := listen(t)
	s, err := server.New(root, server.WithLiveReload(), server.WithFrontEnd(which))
	must(t, err)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()

	var clients sync.WaitGroup
	for i := range 200 {
		clients.Go(func() {
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			targets := []string{"/hello.txt", "/large.bin", "/_perfpin/reload", "/missing", "/docs"}
			io.WriteString(conn, "GET "+targets[i%len(targets)]+" HTTP/1.1\r\nHost: x\r\n\r\n")
			conn.Read(make([]byte, 1+i*100)) // and hangs up in the middle
		})
	}
	clients.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	must(t, s.Shutdown(ctx))
	must(t, <-served)
	must(t, s.Close())
}

func TestShutdownFinishesAnswers(t *testing.T) {
	root := fixtures(t)
	path := filepath.Join(root, "huge.bin")
	const size = 32 << 20
	must(t, os.WriteFile(path, nil, 0o644))
	must(t, os.Truncate(path, size))
	for _, which := range []server.FrontEnd{server.FastHTTP, server.EventLoop} {
		shutDownWhileSending(t, newServer(t, root, server.WithFrontEnd(which)), size)
	}
}

func shutDownWhileSending(t *testing.T, s *server.Server, size int) {
	l := listen(t)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	must(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	io.WriteString(conn, "GET /huge.bin HTTP/1.1\r\nHost: x\r\n\r\n")
	in := bufio.NewReader(conn)
	_, err = in.Peek(100)
	must(t, err)
	stopped := make(chan error, 1)
	go func() { stopped <- s.Shutdown(context.Background()) }()
	r, err := readReply(in, false)
	if err != nil || len(r.body) != size {
		t.Errorf("answer under way: got %d bytes and %v, want %d", len(r.body), err, size)
	}
	must(t, <-stopped)
	must(t, <-served)
	if conn, err := net.Dial("tcp", l.Addr().String()); err == nil {
		conn.Close()
		t.Error("still listening after Shutdown")
	}
}

func TestServeOne(t *testing.T) {
	for _, which := range []server.FrontEnd{server.FastHTTP, server.EventLoop} {
		s := newServer(t, fixtures(t), server.WithFrontEnd(which))
		l := listen(t)
		served := make(chan error, 1)
		go func() { served <- s.ServeOne(l) }()
		conn, err := net.Dial("tcp", l.Addr().String())
		must(t, err)
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(patience))
		io.WriteString(conn, "GET /hello.txt HTTP/1.1\r\nHost: x\r\n\r\n")
		all, err := io.ReadAll(conn)
		if err != nil || !strings.HasSuffix(string(all), "\r\n\r\nhello, world") {
			t.Errorf("front end %d: got %q and %v, want one answer and the end", which, all, err)
		}
		must(t, <-served)
	}
}

func TestBadOptions(t *testing.T) {
	root := fixtures(t)
	cases := map[string][]server.Option{
		"limits: header":   {server.WithLimits(server.Limits{})},
		"front end: got 7": {server.WithFrontEnd(7)},
		"fallback":         {server.WithFallback("/etc/passwd")},
		`pattern "x"`:      {server.WithHeaders("x")},
		"negative bound":   {server.WithRevalidate(-1)},
		"error page 200":   {server.WithErrorPage(200, "x")},
	}
	for want, options := range cases {
		s, err := server.New(root, options...)
		if err == nil {
			s.Close()
			t.Errorf("%s: got no error", want)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a word about %s", err, want)
		}
	}
	if _, err := server.New(filepath.Join(root, "nothing")); err == nil {
		t.Error("a root that is not there: got no error")
	}
	s := newServer(t, root)
	l := listen(t)
	defer l.Close()
	if err := s.ListenAndServe(l.Addr().String()); err == nil {
		t.Error("an address in use: got no error")
	}
}
