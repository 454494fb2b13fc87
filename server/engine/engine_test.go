package engine_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server/engine"
)

func TestAnswers(t *testing.T) {
	site, _ := openSite(t)
	e := startUntilEnd(t, site, nil)
	const v = " HTTP/1.1\r\nHost: x\r\n"
	cases := []struct {
		raw        string
		status     int
		body       string
		connection string
		ends       bool
	}{
		{"GET /small.txt" + v + "\r\n", 200, "hello, world", "", false},
		{"\r\nGET /small.txt" + v + "\r\n", 200, "hello, world", "", false},
		{"GET http://x/small.txt" + v + "\r\n", 200, "hello, world", "", false},
		{"GET /small.txt" + v + "Range: bytes=7-\r\n\r\n", 206, "world", "", false},
		{"GET /small.txt" + v + "Connection: close\r\n\r\n", 200, "hello, world", "close", true},
		{"GET /small.txt HTTP/1.0\r\n\r\n", 200, "hello, world", "close", true},
		{"GET /small.txt HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, "hello, world", "keep-alive", false},
		{"GET /small.txt" + v + "Content-Length: 3\r\n\r\nabc", 200, "hello, world", "close", true},
		{"GET /small.txt" + v + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 200, "hello, world", "close", true},
		{"GET /small.txt" + v + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n", 200, "hello, world", "close", true},
		{"GET /small.txt" + v + "Expect: 100-continue\r\n\r\n", 200, "hello, world", "", false},
		{"GET /small.txt HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc", 200, "hello, world", "close", true},
		{"GET /missing" + v + "\r\n", 404, "Not Found\n", "", false},
		{"POST /small.txt" + v + "Content-Length: 0\r\n\r\n", 405, "Method Not Allowed\n", "", false},
		{"CONNECT x:443" + v + "\r\n", 405, "Method Not Allowed\n", "close", true},
		{"GET /small.txt HTTP/1.1\r\n\r\n", 400, "Bad Request\n", "close", true},
		{"GET /small.txt" + v + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n", 400, "Bad Request\n", "close", true},
		{"GET /small.txt" + v + "Content-Length: 70000\r\n\r\n", 413, "Content Too Large\n", "close", true},
		{"GET /" + strings.Repeat("a", 8<<10), 414, "URI Too Long\n", "close", true},
		{"GET /" + v + "X: " + strings.Repeat("a", 8<<10), 431, "Request Header Fields Too Large\n", "close", true},
		{"GET /small.txt" + v + "Expect: x\r\n\r\n", 417, "Expectation Failed\n", "close", true},
		{"GET /small.txt" + v + "Transfer-Encoding: x\r\n\r\n", 501, "Not Implemented\n", "close", true},
		{"GET /small.txt HTTP/3.0\r\n\r\n", 505, "HTTP Version Not Supported\n", "close", true},
	}
	for _, c := range cases {
		conn := e.dial(t)
		conn.send(c.raw)
		resp, body := conn.receive()
		connection := resp.Header.Get("Connection")
		if resp.Close { // net/http takes the field out
			connection = "close"
		}
		if resp.StatusCode != c.status || string(body) != c.body || connection != c.connection {
			t.Errorf("%.80q: got %d, %q, Connection: %q, want %d, %q, %q",
				c.raw, resp.StatusCode, body, connection, c.status, c.body, c.connection)
		}
		if _, err := http.ParseTime(resp.Header.Get("Date")); err != nil {
			t.Errorf("%.80q: date: %v", c.raw, err)
		}
		conn.send(ask("small.txt"))
		if c.ends {
			conn.expectEnd()
		} else {
			conn.expect("small.txt")
		}
	}
}

func TestHeadAnswersWithoutContent(t *testing.T) {
	site, _ := openSite(t)
	c := startUntilEnd(t, site, nil).dial(t)
	for name, data := range files {
		c.send("HEAD /" + name + " HTTP/1.1\r\nHost: x\r\n\r\n")
		resp, err := http.ReadResponse(c.in, &http.Request{Method: "HEAD"})
		must(t, err)
		if resp.StatusCode != 200 || resp.ContentLength != int64(len(data)) {
			t.Errorf("%s: got %d and a length of %d, want 200 and %d", name, resp.StatusCode, resp.ContentLength, len(data))
		}
	}
	c.send(ask("small.txt"))
	c.expect("small.txt")
}

// TestRequestInPieces sends a request byte by byte, and then two that are cut
// in the second.
func TestRequestInPieces(t *testing.T) {
	site, _ := openSite(t)
	c := startUntilEnd(t, site, nil).dial(t)
	raw := ask("small.txt", "Accept: a", "Accept: b")
	for i := range raw {
		c.send(raw[i : i+1])
	}
	c.expect("small.txt")
	c.send(raw + raw[:20])
	c.expect("small.txt")
	c.send(raw[20:])
	c.expect("small.txt")
	for _, piece := range []string{ask("small.txt", "Content-Length: 5", "Connection: close"), "ab", "cde"} {
		c.send(piece)
		time.Sleep(20 * time.Millisecond)
	}
	c.expect("small.txt")
	c.expectEnd()
}

// TestPipelining sends more than is answered in a turn, small and large, and
// hangs up behind it.
func TestPipelining(t *testing.T) {
	site, _ := openSite(t)
	c := startUntilEnd(t, site, nil).dial(t)
	const rounds = 100
	go func() {
		for range rounds {
			io.WriteString(c, strings.Repeat(ask("small.txt"), 40)+ask("memory.bin")+ask("small.txt"))
		}
		io.WriteString(c, ask("large.bin")+ask("small.txt"))
		c.CloseWrite()
	}()
	for range rounds {
		for range 40 {
			c.expect("small.txt")
		}
		c.expect("memory.bin")
		c.expect("small.txt")
	}
	c.expect("large.bin")
	c.expect("small.txt")
	c.expectEnd()
}

// TestNothingIsReadBehindARefusal pipelines a request behind one that is
// refused. The client still gets the answer, however much it sends.
func TestNothingIsReadBehindARefusal(t *testing.T) {
	site, _ := openSite(t)
	e := startUntilEnd(t, site, nil)
	for _, c := range refused {
		if c.status == 414 || c.status == 431 || c.status == 413 {
			continue // by other limits than the default ones
		}
		conn := e.dial(t)
		conn.send(c.raw + strings.Repeat(ask("small.txt"), 1000))
		resp, err := http.ReadResponse(conn.in, nil)
		if err != nil || resp.StatusCode != c.status {
			t.Errorf("%s: got %v and %v, want %d", c.name, resp, err, c.status)
			continue
		}
		io.Copy(io.Discard, resp.Body)
		conn.expectEnd()
	}
}

// TestRefusedClientMaySendOn goes on sending behind the answer. A socket that
// is closed with something to receive would be reset, and writing fail.
func TestRefusedClientMaySendOn(t *testing.T) {
	site, _ := openSite(t)
	c := startUntilEnd(t, site, nil).dial(t)
	c.send("GET /small.txt HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n")
	if resp, _ := c.receive(); resp.StatusCode != 413 {
		t.Fatalf("got %v, want 413", resp)
	}
	for range 7 {
		c.send(strings.Repeat("x", 10000))
		time.Sleep(20 * time.Millisecond)
	}
	must(t, c.CloseWrite())
	c.expectEnd()
}

// TestUnreadSmallAnswers reads nothing until the sockets are full of small
// answers, the last of them sent in part.
func TestUnreadSmallAnswers(t *testing.T) {
	site, _ := openSite(t)
	e := startUntilEnd(t, site, nil)
	c := e.dial(t)
	c.send(ask("small.txt", "Connection: close"))
	all, err := io.ReadAll(c.in)
	must(t, err)
	answer := strings.Replace(string(all), "Connection: close\r\n", "", 1)
	date := strings.Index(answer, "Date: ")

	const number = 60000
	c = e.dial(t)
	go io.WriteString(c, strings.Repeat(ask("small.txt"), number))
	time.Sleep(300 * time.Millisecond)
	got := make([]byte, len(answer))
	for i := range number {
		_, err := io.ReadFull(c.in, got)
		must(t, err)
		copy(got[date:], answer[date:date+len("Date: ")+29])
		if string(got) != answer {
			t.Fatalf("answer %d: got %q, want %q", i, got, answer)
		}
	}
}

// TestSlowReader takes large answers in small pieces with pauses, while
// another client is served.
func TestSlowReader(t *testing.T) {
	site, _ := openSite(t)
	e := startUntilEnd(t, site, nil)
	slow, quick := e.dial(t), e.dial(t)
	slow.send(ask("memory.bin") + ask("large.bin"))
	for range 20 {
		quick.send(ask("small.txt"))
		quick.expect("small.txt")
		quick.send(ask("memory.bin"))
		quick.expect("memory.bin")
		_, err := slow.in.Peek(1)
		must(t, err)
	}
	slow.expect("memory.bin")
	slow.expect("large.bin")
}

// TestManyAtOnce asks from many connections on several loops.
func TestManyAtOnce(t *testing.T) {
	site, _ := openSite(t)
	e := startUntilEnd(t, site, func(c *engine.Config) { c.Loops = 3 })
	var clients sync.WaitGroup
	for range 12 {
		conn := e.dial(t)
		clients.Go(func() {
			for _, name := range []string{"small.txt", "memory.bin", "small.txt", "large.bin"} {
				if _, err := io.WriteString(conn, ask(name)); err != nil {
					t.Error(err)
					return
				}
				resp, err := http.ReadResponse(conn.in, nil)
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(resp.Body)
				if err != nil || !bytes.Equal(body, files[name]) {
					t.Errorf("%s: got %d bytes and %v", name, len(body), err)
					return
				}
			}
		})
	}
	clients.Wait()
}

func TestUnixSocket(t *testing.T) {
	site, _ := openSite(t)
	e, err := engine.New(site, engine.Defaults())
	must(t, err)
	l, err := net.Listen("unix", t.TempDir()+"/socket")
	must(t, err)
	served := make(chan error, 1)
	go func() { served <- e.Serve(l) }()
	conn, err := net.Dial("unix", l.Addr().String())
	must(t, err)
	defer conn.Close()
	io.WriteString(conn, ask("small.txt", "Connection: close"))
	if all, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(all), "\r\n\r\nhello, world") {
		t.Errorf("got %q and %v", all, err)
	}
	conn.Close()
	must(t, e.Shutdown(t.Context()))
	must(t, <-served)
}

type wrapped struct{ net.Listener }

func TestBadConfig(t *testing.T) {
	site, _ := openSite(t)
	_, err := engine.New(site, engine.Config{BodyBytes: -1})
	for _, want := range []string{"loops: got 0", "header: got 0", "body: got -1", "timeouts: got read 0s", "connections: got 0"} {
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("got %v, want a word about %q", err, want)
		}
	}
	e, err := engine.New(site, engine.Defaults())
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	if err := e.Serve(wrapped{l}); err == nil || !strings.Contains(err.Error(), "engine_test.wrapped") {
		t.Errorf("a listener of another kind: got %v", err)
	}
}
