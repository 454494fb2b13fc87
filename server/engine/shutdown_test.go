package engine_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server/engine"
)

// TestShutdown has one client idle, one in the middle of a request, and one in
// the middle of an answer.
func TestShutdown(t *testing.T) {
	site, _ := openSite(t)
	e := start(t, site, func(c *engine.Config) { c.Loops = 2 })
	idle, asking, taking := e.dial(t), e.dial(t), e.dial(t)
	idle.send(ask("small.txt"))
	idle.expect("small.txt")
	asking.send(ask("small.txt") + "GET /small.txt HT")
	asking.expect("small.txt")
	taking.send(ask("large.bin"))
	_, err := taking.in.Peek(1)
	must(t, err)

	ended := make(chan struct{})
	go func() {
		e.end(t)
		close(ended)
	}()
	idle.expectEnd()
	asking.send("TP/1.1\r\nHost: x\r\n\r\n" + ask("small.txt"))
	resp, body := asking.receive()
	if string(body) != "hello, world" || !resp.Close {
		t.Errorf("request under way: got %v and %q, want the file and the end", resp, body)
	}
	asking.expectEnd()
	taking.expect("large.bin")
	taking.expectEnd()
	idle.Close()
	asking.Close()
	taking.Close()
	<-ended
	if conn, err := net.Dial("tcp", e.addr); err == nil {
		conn.Close()
		t.Error("still listening")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	if err := e.Serve(l); err != nil {
		t.Errorf("serve after shutdown: got %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("serve after shutdown: the listener: got %v, want it closed", err)
	}
}

// TestShutdownIsLimited has clients that never finish.
func TestShutdownIsLimited(t *testing.T) {
	site, _ := openSite(t)
	forever := make(chan error, 1)
	e := start(t, site, func(c *engine.Config) {
		c.Takeover = func(r *engine.Request) func(net.Conn) {
			if r.Target != "/events" {
				return nil
			}
			return func(conn net.Conn) {
				io.WriteString(conn, "begun")
				_, err := io.Copy(io.Discard, conn)
				forever <- err
			}
		}
	})
	asking, taking, events := e.dial(t), e.dial(t), e.dial(t)
	asking.send(ask("small.txt") + "GET /small.txt HT")
	asking.expect("small.txt")
	taking.send(ask("large.bin"))
	_, err := taking.in.Peek(1)
	must(t, err)
	// Until it is answered it is idle, and would be closed as such.
	events.send(ask("events"))
	_, err = events.in.Peek(1)
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := e.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
	must(t, <-e.served)
	if err := <-forever; err == nil {
		t.Error("taken over: got no error, want a closed connection")
	}
}

// TestTakeover asks for something ordinary first, in the same packet.
func TestTakeover(t *testing.T) {
	site, _ := openSite(t)
	e := startUntilEnd(t, site, func(c *engine.Config) {
		c.Takeover = func(r *engine.Request) func(net.Conn) {
			target := strings.Clone(r.Target)
			if target != "/events" {
				return nil
			}
			return func(conn net.Conn) {
				io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
				io.WriteString(conn, "one for "+target)
			}
		}
	})
	c := e.dial(t)
	c.send(ask("small.txt") + ask("events"))
	c.expect("small.txt")
	resp, body := c.receive()
	if resp.StatusCode != 200 || string(body) != "one for /events" {
		t.Errorf("got %v and %q", resp, body)
	}
	c.expectEnd()
}

// TestNothingIsLeft counts goroutines and descriptors before and after clients
// that hang up at all times.
func TestNothingIsLeft(t *testing.T) {
	site, _ := openSite(t)
	descriptors := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		must(t, err)
		return len(names)
	}
	net.Listen("tcp", "127.0.0.1:0") // opens what the run time keeps for sockets
	runtime.GC()
	goroutines, files := runtime.NumGoroutine(), descriptors()
	e := start(t, site, func(c *engine.Config) {
		c.Loops = 2
		c.Takeover = func(r *engine.Request) func(net.Conn) {
			if r.Target != "/events" {
				return nil
			}
			return func(conn net.Conn) { io.Copy(io.Discard, conn) }
		}
	})
	raws := []string{
		"", "GET /", ask("small.txt"), ask("large.bin"), ask("memory.bin"), ask("events"), "bad\r\n\r\n",
		chunked + "3\r\na", strings.Repeat(ask("large.bin"), 20), ask("small.txt", "Connection: close"),
	}
	var clients sync.WaitGroup
	for i := range 200 {
		clients.Go(func() {
			conn, err := net.Dial("tcp", e.addr)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, raws[i%len(raws)])
			if i%3 > 0 {
				conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
				conn.Read(make([]byte, 1+i*100))
			}
		})
	}
	clients.Wait()
	e.end(t)
	site.Sweep()
	site.Sweep() // which closes the files that the Site kept open
	await(t, "as many goroutines and descriptors as before", func() bool {
		return runtime.NumGoroutine() <= goroutines && descriptors() <= files
	})
}

// TestIdleConnections has thousands of them, and demands that each costs less
// than 2 KiB of heap.
func TestIdleConnections(t *testing.T) {
	const number = 4000 // both ends are in this process
	site, _ := openSite(t)
	e := startUntilEnd(t, site, nil)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	conns := make([]net.Conn, number)
	for i := range conns {
		conn, err := net.Dial("tcp", e.addr)
		must(t, err)
		defer conn.Close()
		conns[i] = conn
	}
	ends := []*client{e.dial(t)}
	for _, i := range []int{0, number / 2, number - 1} {
		io.WriteString(conns[i], ask("small.txt"))
		buf := make([]byte, 1000)
		n, err := conns[i].Read(buf)
		if err != nil || !strings.HasSuffix(string(buf[:n]), "hello, world") {
			t.Errorf("connection %d: got %q and %v", i, buf[:n], err)
		}
	}
	ends[0].send(ask("small.txt"))
	ends[0].expect("small.txt")
	runtime.GC()
	runtime.ReadMemStats(&after)
	if per := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / number; per > 2<<10 {
		t.Errorf("got %d bytes for a connection and its client, want less than 2 KiB", per)
	}
}
