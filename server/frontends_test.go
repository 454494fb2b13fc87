package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server"
	"github.com/perfpin/perfpin/server/rootfs"
)

// canary is the content of what must never be served.
const canary = "CANARY-7f3a"

// patience is how long a test waits for what has to come.
const patience = 3 * time.Minute

var modified = time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)

// fixtures makes DIR/root to be served, and DIR/secret and DIR/outside beside
// it, with links from the one to the other.
func fixtures(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"secret":                canary,
		"outside/index.html":    canary,
		"outside/page.txt":      canary,
		"root-sibling/page.txt": canary,
		"root/index.html":       "<body>home</body>",
		"root/hello.txt":        "hello, world",
		"root/empty.txt":        "",
		"root/large.bin":        strings.Repeat("0123456789abcdef", 80<<10), // not held in memory
		"root/medium.txt":       strings.Repeat("fedcba9876543210", 3<<10),  // held, and not sent in one piece with the head
		"root/app.js":           strings.Repeat("js ", 100),
		"root/app.js.gz":        "gzipped",
		"root/app.js.br":        "brotli",
		"root/docs/index.html":  "docs",
		"root/docs/é x.txt":     "odd name",
		"root/leaky.css":        "css",
		"root/plain/a.txt":      "a",
		"root/.env":             canary,
		"root/.git/config":      canary,
		"root/docs/.htpasswd":   canary,
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(content), 0o644))
		must(t, os.Chtimes(path, modified, modified))
	}
	must(t, os.MkdirAll(filepath.Join(dir, "root/linked"), 0o755))
	for name, target := range map[string]string{
		"out.txt":           "../secret",
		"outdir":            "../outside",
		"absolute":          filepath.Join(dir, "secret"),
		"proc":              "/proc/self",
		"leaky.css.gz":      "../secret",
		"linked/index.html": "../../outside/index.html",
		"inside.txt":        "hello.txt",
	} {
		must(t, os.Symlink(target, filepath.Join(dir, "root", name)))
	}
	// A fresh file is not cached, and has a weak tag where it is large.
	time.Sleep(rootfs.Settling * 3 / 2)
	return filepath.Join(dir, "root")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newServer makes a Server that is closed with the test.
func newServer(t testing.TB, root string, options ...server.Option) *server.Server {
	t.Helper()
	s, err := server.New(root, options...)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// frontEnd is a way to have requests answered over a socket.
type frontEnd struct{ name, addr string }

// startFrontEnds serves root by each of them, with a Server of its own, until
// the test ends.
func startFrontEnds(t testing.TB, root string, options ...server.Option) []frontEnd {
	t.Helper()
	var fronts []frontEnd
	for name, which := range map[string]server.FrontEnd{"fasthttp": server.FastHTTP, "event loop": server.EventLoop} {
		s := newServer(t, root, append(options[:len(options):len(options)], server.WithFrontEnd(which))...)
		l := listen(t)
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := errors.Join(s.Shutdown(ctx), <-served); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		fronts = append(fronts, frontEnd{name, l.Addr().String()})
	}
	l := listen(t)
	h := &http.Server{Handler: newServer(t, root, options...), DisableGeneralOptionsHandler: true}
	go h.Serve(l)
	t.Cleanup(func() { h.Close() })
	return append(fronts, frontEnd{"net/http", l.Addr().String()})
}

// own leaves out net/http, which has limits and a reader of its own.
func own(fronts []frontEnd) []frontEnd { return fronts[:len(fronts)-1] }

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	return l
}

// reply is an answer as far as two front ends have to agree on it.
type reply struct {
	status int
	header http.Header // without Date and Connection
	body   string
	closed bool // no further request is answered on the connection
}

func (r reply) String() string {
	return fmt.Sprintf("%d %v %.60q closed=%v", r.status, r.header, r.body, r.closed)
}

// exchangeRaw sends the bytes of one request and reads what comes back. An
// error means that there was no well-formed answer.
func exchangeRaw(t testing.TB, addr, raw string) (reply, error) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	must(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, raw); err != nil {
		return reply{}, err
	}
	in := bufio.NewReader(conn)
	r, err := readReply(in, strings.HasPrefix(raw, "HEAD "))
	if err != nil {
		return r, err
	}
	// Whether the connection is still good shows by asking again.
	io.WriteString(conn, "GET /plain/a.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	_, err = readReply(in, false)
	r.closed = err != nil
	return r, nil
}

func readReply(in *bufio.Reader, head bool) (reply, error) {
	method := "GET"
	if head {
		method = "HEAD"
	}
	resp, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}, err
	}
	// net/http's own refusals have none, against RFC 9110 §6.6.1.
	if resp.Header.Get("Date") == "" && resp.StatusCode != 400 {
		return reply{}, errors.New("no Date")
	}
	resp.Header.Del("Date")
	resp.Header.Del("Connection")
	return reply{status: resp.StatusCode, header: resp.Header, body: string(body)}, nil
}

// get asks in the plainest way.
func get(t testing.TB, addr, target string, fields ...string) reply {
	t.Helper()
	raw := "GET " + target + " HTTP/1.1\r\nHost: x\r\n"
	for _, f := range fields {
		raw += f + "\r\n"
	}
	r, err := exchangeRaw(t, addr, raw+"\r\n")
	if err != nil {
		t.Errorf("%s at %s: %v", target, addr, err)
	}
	return r
}

// exchangeMany sends raw on one connection and reads n answers.
func exchangeMany(t testing.TB, addr, raw string, n int) []reply {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	must(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, raw); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	var replies []reply
	for range n {
		r, err := readReply(in, false)
		if err != nil {
			t.Fatalf("%s: after %d answers: %v", addr, len(replies), err)
		}
		replies = append(replies, r)
	}
	return replies
}
