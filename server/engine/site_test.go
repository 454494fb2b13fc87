package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server/core"
	"github.com/perfpin/perfpin/server/engine"
	"github.com/perfpin/perfpin/server/rootfs"
)

// patience is how long a test waits for what has to come.
const patience = 3 * time.Minute

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// content gives n bytes of which no two pieces of 4 bytes are alike, so that
// what is lost or sent twice shows.
func content(n int) []byte {
	b := make([]byte, 0, n+4)
	for i := uint32(0); len(b) < n; i++ {
		b = append(b, byte(i), byte(i>>8), byte(i>>16), byte(i>>24))
	}
	return b[:n]
}

// files are what the tests ask for: in memory and copied, in memory and large,
// and too large for memory.
var files = map[string][]byte{
	"small.txt":  []byte("hello, world"),
	"memory.bin": content(900 << 10),
	"large.bin":  content(12 << 20),
}

// openSite makes a Site of files, that is closed with the test.
func openSite(t testing.TB) (site *core.Site, root string) {
	t.Helper()
	root = t.TempDir()
	modified := time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)
	for name, data := range files {
		path := filepath.Join(root, name)
		must(t, os.WriteFile(path, data, 0o644))
		must(t, os.Chtimes(path, modified, modified))
	}
	time.Sleep(rootfs.Settling * 3 / 2) // a fresh file is not kept
	config := core.Defaults()
	config.Revalidate = time.Hour // looking again would want a descriptor
	config.CacheFileBytes = 1 << 20
	site, err := core.Open(root, config)
	must(t, err)
	t.Cleanup(func() { site.Close() })
	return site, root
}

// running is an Engine that serves.
type running struct {
	*engine.Engine
	addr   string
	served chan error
}

// start serves site with what change makes of the defaults, without timeouts
// that a slow machine could run into. The test ends it.
func start(t testing.TB, site *core.Site, change func(*engine.Config)) *running {
	t.Helper()
	config := engine.Defaults()
	config.ReadTimeout, config.WriteTimeout, config.IdleTimeout = time.Hour, time.Hour, time.Hour
	if change != nil {
		change(&config)
	}
	e, err := engine.New(site, config)
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r := &running{e, l.Addr().String(), make(chan error, 1)}
	go func() { r.served <- e.Serve(l) }()
	return r
}

// startUntilEnd is start, with a Shutdown when the test ends.
func startUntilEnd(t testing.TB, site *core.Site, change func(*engine.Config)) *running {
	t.Helper()
	r := start(t, site, change)
	t.Cleanup(func() { r.end(t) })
	return r
}

// end shuts down and demands that all went well.
func (r *running) end(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.Shutdown(ctx); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if err := <-r.served; err != nil {
		t.Errorf("serve: %v", err)
	}
}

// client is one connection.
type client struct {
	t testing.TB
	*net.TCPConn
	in *bufio.Reader
}

func (r *running) dial(t testing.TB) *client {
	t.Helper()
	conn, err := net.Dial("tcp", r.addr)
	must(t, err)
	conn.SetDeadline(time.Now().Add(patience))
	t.Cleanup(func() { conn.Close() })
	return &client{t, conn.(*net.TCPConn), bufio.NewReader(conn)}
}

func (c *client) send(raw string) {
	c.t.Helper()
	_, err := io.WriteString(c, raw)
	must(c.t, err)
}

// receive reads one answer to a GET.
func (c *client) receive() (*http.Response, []byte) {
	c.t.Helper()
	resp, err := http.ReadResponse(c.in, &http.Request{Method: "GET"})
	must(c.t, err)
	body, err := io.ReadAll(resp.Body)
	must(c.t, err)
	return resp, body
}

// expect reads an answer of 200 with the content of the file name.
func (c *client) expect(name string) {
	c.t.Helper()
	if resp, body := c.receive(); resp.StatusCode != 200 || !bytes.Equal(body, files[name]) {
		c.t.Errorf("%s: got %d and %d bytes %.20q, want 200 and its %d bytes", name, resp.StatusCode, len(body), body, len(files[name]))
	}
}

// expectEnd demands that the connection ends without another byte.
func (c *client) expectEnd() {
	c.t.Helper()
	if n, err := io.Copy(io.Discard, c.in); n != 0 || err != nil {
		c.t.Errorf("got %d bytes more and %v, want the end", n, err)
	}
}

func ask(name string, fields ...string) string {
	raw := "GET /" + name + " HTTP/1.1\r\nHost: x\r\n"
	for _, f := range fields {
		raw += f + "\r\n"
	}
	return raw + "\r\n"
}
