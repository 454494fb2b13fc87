package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server/rootfs"
)

// patience is how long a test waits for what has to come.
const patience = 3 * time.Minute

// asCommand makes the test binary stand in for the command, so that it can be
// a process of its own.
const asCommand = "PERFPIN_SERVE_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process is the command in a process of its own.
type process struct {
	*os.Process
	addr string
}

// startProcess runs the command until the test ends, if it does not end it.
func startProcess(t *testing.T, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	r, w, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { r.Close() })
	p, err := os.StartProcess(self, append([]string{self, "-addr", "127.0.0.1:0"}, args...), &os.ProcAttr{
		Env: append(os.Environ(), asCommand+"=1"), Files: []*os.File{nil, nil, w},
	})
	w.Close()
	must(t, err)
	t.Cleanup(func() {
		if p.Kill() == nil { // it is an error if the test waited for the end
			p.Wait()
		}
	})
	in := bufio.NewReader(r)
	line, _ := in.ReadString('\n')
	found := regexp.MustCompile(`http://(\S+)`).FindStringSubmatch(line)
	if found == nil {
		t.Fatalf("no address in %q", line)
	}
	go io.Copy(io.Discard, in)
	return &process{p, found[1]}
}

// resident gives the resident memory of p in bytes.
func (p *process) resident(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
	must(t, err)
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			must(t, err)
			return kib << 10
		}
	}
	t.Fatalf("process %d: no VmRSS", p.Pid)
	return 0
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSIGTERM(t *testing.T) {
	for front, sig := range map[string]os.Signal{"fasthttp": syscall.SIGTERM, "event-loop": os.Interrupt} {
		p := startProcess(t, "-front-end", front, root(t))
		must(t, p.Signal(sig))
		state, err := p.Wait()
		if err != nil || state.ExitCode() != 0 {
			t.Errorf("%v: got %v and %v, want exit status 0", sig, state, err)
		}
	}
}

// idleBytes is what 10,000 idle connections may add to the resident memory:
// several times what they do, for a race detector takes several times as much.
var idleBytes = map[string]int64{"event-loop": 64 << 20, "fasthttp": 1 << 30}

// TestIdleConnections has 10,000 connections, as many as are allowed, of which
// nearly all ask for nothing.
func TestIdleConnections(t *testing.T) {
	var limit syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)) // raised by package os already
	number := int(min(10000, limit.Max-100))
	for front, most := range idleBytes {
		p := startProcess(t, "-front-end", front, "-one-worker", "-max-connections", strconv.Itoa(number),
			"-idle-timeout", "1h", "-read-timeout", "1h", root(t))
		before := p.resident(t)
		conns := dialMany(t, p.addr, number)
		for _, i := range []int{number - 1, 0, number / 2} {
			if err := ask(conns[i]); err != nil {
				t.Errorf("%s: connection %d: %v", front, i, err)
			}
		}
		added := p.resident(t) - before
		if added > most {
			t.Errorf("%s: %d connections add %d bytes, want at most %d", front, number, added, most)
		}
		t.Logf("%s: %d connections add %d bytes", front, number, added)
		oneMore(t, front, p.addr, conns[1])
		for _, conn := range conns {
			conn.Close()
		}
	}
}

func dialMany(t *testing.T, addr string, number int) []net.Conn {
	t.Helper()
	conns := make([]net.Conn, number)
	for i := range conns {
		conn, err := net.Dial("tcp", addr)
		must(t, err)
		t.Cleanup(func() { conn.Close() })
		conns[i] = conn
	}
	return conns
}

// oneMore demands that there is no room for another connection until one of
// those that there are is closed.
func oneMore(t *testing.T, front, addr string, last net.Conn) {
	t.Helper()
	try := func() error {
		conn, err := net.Dial("tcp", addr)
		must(t, err)
		defer conn.Close()
		return ask(conn)
	}
	if err := try(); err == nil {
		t.Errorf("%s: one connection more than allowed is served", front)
	}
	last.Close()
	end := time.Now().Add(patience)
	for err := try(); err != nil; err = try() {
		if time.Now().After(end) {
			t.Fatalf("%s: after one is closed another is not served: %v", front, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// ask asks for the file of root.
func ask(conn net.Conn) error {
	conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, "GET /hello.txt HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != 200 || string(body) != "hello") {
		err = fmt.Errorf("got %d and %q, want the file", resp.StatusCode, body)
	}
	return errors.Join(err, resp.Body.Close())
}

// TestResidentMemory asks for more files than the cache has room for.
func TestResidentMemory(t *testing.T) {
	most := int64(64 << 20)
	if underRace {
		most *= 4
	}
	dir := root(t)
	content := make([]byte, 60<<10)
	const number = 800
	for i := range number {
		must(t, os.WriteFile(fmt.Sprintf("%s/%d", dir, i), content, 0o644))
	}
	time.Sleep(rootfs.Settling * 3 / 2) // a fresh file is not kept
	for front := range idleBytes {
		p := startProcess(t, "-front-end", front, "-one-worker", dir)
		for i := range number {
			resp, err := http.Get(fmt.Sprintf("http://%s/%d", p.addr, i))
			must(t, err)
			n, err := io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if err != nil || n != int64(len(content)) {
				t.Fatalf("%s: file %d: got %d bytes and %v, want %d", front, i, n, err, len(content))
			}
		}
		if got := p.resident(t); got > most {
			t.Errorf("%s: %d bytes are resident, want at most %d", front, got, most)
		}
	}
}
