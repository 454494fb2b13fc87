package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// root makes a directory with one file.
func root(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestExitStatus runs the command with arguments that end it at once.
func TestExitStatus(t *testing.T) {
	dir := root(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	cases := []struct {
		args   []string
		status int
		output string // in standard output and standard error
	}{
		{[]string{"-version"}, 0, "perfpin-serve "},
		{[]string{"-help"}, 0, "usage: perfpin-serve"},
		{[]string{"--help"}, 0, "-revalidate"},
		{[]string{"-nothing"}, 2, "flag provided but not defined: -nothing\nhint: perfpin-serve -help"},
		{[]string{"-cache", "many"}, 2, `invalid value "many"`},
		{[]string{"-cache", "-1"}, 2, "want none below 0"},
		{[]string{"-addr", "8080"}, 2, "flag -addr"},
		{[]string{"-immutable", "("}, 2, "error parsing regexp"},
		{[]string{"-header", "/x"}, 2, "want 'PATTERN NAME: VALUE'"},
		{[]string{"-error-page", "x"}, 2, "want STATUS=FILE"},
		{[]string{"-front-end", "x"}, 2, "want fasthttp or event-loop"},
		{[]string{dir, dir}, 2, "got 2 directories"},
		{[]string{"-addr", "127.0.0.1:0", filepath.Join(dir, "nothing")}, 1, "no such file"},
		{[]string{"-addr", "127.0.0.1:0", filepath.Join(dir, "hello.txt")}, 1, "not a directory"},
		{[]string{"-addr", taken.Addr().String(), dir}, 1, "address already in use"},
		{[]string{"-addr", "127.0.0.1:0", "-header", "/** Content-Length: 1", dir}, 1, "sets this one itself"},
		{[]string{"-addr", "127.0.0.1:0", "-error-page", "200=x", dir}, 1, "error page 200"},
		{[]string{"-addr", "127.0.0.1:0", "-access-log", dir, dir}, 1, "access log"},
	}
	for _, c := range cases {
		var out bytes.Buffer
		status := run(context.Background(), c.args, &out, &out)
		if status != c.status || !strings.Contains(out.String(), c.output) {
			t.Errorf("%q: got %d and %q, want %d and %q", c.args, status, out.String(), c.status, c.output)
		}
	}
}

// start runs the command and gives its address, its exit status to come, and
// what ends it.
func start(t *testing.T, args ...string) (addr string, status <-chan int, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	stderr, w := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), io.Discard, w)
		w.Close()
	}()
	in := bufio.NewReader(stderr)
	line, err := in.ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v", err)
	}
	go io.Copy(io.Discard, in)
	found := regexp.MustCompile(`http://(\S+)`).FindStringSubmatch(line)
	if found == nil {
		t.Fatalf("no address in %q", line)
	}
	return found[1], ended, cancel
}

func wait(t *testing.T, status <-chan int) {
	t.Helper()
	select {
	case got := <-status:
		if got != 0 {
			t.Errorf("exit status: got %d, want 0", got)
		}
	case <-time.After(patience):
		t.Fatal("the command does not end")
	}
}

func TestFlagsReachTheServer(t *testing.T) {
	dir := root(t)
	for name, content := range map[string]string{"app.html": "app", "404.html": "nothing", ".dot": "dot", "only.txt.gz": "gz"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	log := filepath.Join(t.TempDir(), "access.log")
	addr, status, stop := start(t, "-fallback", "app.html", "-error-page", "404=404.html", "-dotfiles", "-sidecar-only",
		"-immutable", `^/hello`, "-header", "/*.txt X-Extra: yes", "-access-log", log, "-one-worker", "-revalidate", "0", dir)
	for target, want := range map[string]string{"/hello.txt": "hello", "/page": "app", "/x.css": "nothing", "/.dot": "dot"} {
		resp, err := http.Get("http://" + addr + target)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != want {
			t.Errorf("%s: got %q, want %q", target, body, want)
		}
		if target == "/hello.txt" && (resp.Header.Get("X-Extra") != "yes" || !strings.Contains(resp.Header.Get("Cache-Control"), "immutable")) {
			t.Errorf("%s: got %v, want the extra fields", target, resp.Header)
		}
	}
	stop()
	wait(t, status)
	lines, err := os.ReadFile(log)
	if err != nil || strings.Count(string(lines), "\n") != 4 {
		t.Errorf("access log: got %q and %v, want 4 lines", lines, err)
	}
}

func TestServeOne(t *testing.T) {
	addr, status, _ := start(t, "-serve-one", root(t))
	resp, err := http.Get("http://" + addr + "/hello.txt")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	if string(body) != "hello" {
		t.Errorf("got %q, want the file", body)
	}
	wait(t, status)
}
