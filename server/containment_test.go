package server_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server"

	"golang.org/x/sys/unix"
)

// TestPublishedHoles asks for what other servers have given away. Each row
// is one published kind, with the answer that is right here. None may hold
// the canary, take long, or send the client to another host.
func TestPublishedHoles(t *testing.T) {
	root := fixtures(t)
	must(t, unix.Mkfifo(filepath.Join(root, "fifo"), 0o644))
	cases := []struct {
		kind   string
		target string
		fields string
		status int
	}{
		{"sidecar link leads out (CVE-2024-42367, aiohttp)", "/leaky.css", "Accept-Encoding: gzip", 200},
		{"sidecar link asked for itself (CVE-2024-42367)", "/leaky.css.gz", "", 404},
		{"link followed out of the root (CVE-2024-23334, aiohttp)", "/out.txt", "", 404},
		{"directory link leads out (CVE-2024-23334)", "/outdir/page.txt", "", 404},
		{"directory link leads out, index (CVE-2024-23334)", "/outdir/", "", 404},
		{"index file link leads out", "/linked/", "", 404},
		{"absolute link", "/absolute", "", 404},
		{"magic link of procfs", "/proc/root/etc/passwd", "", 404},
		{"dots (CVE-2024-23334)", "/../secret", "", 400},
		{"sibling with the root's name in front (CVE-2023-29159, Starlette)", "/../root-sibling/page.txt", "", 400},
		{"sibling, encoded (CVE-2023-26111, node-static)", "/..%2froot-sibling/page.txt", "", 404},
		{"sibling without slash (nginx alias, CVE-2018-19052 lighttpd)", "/docs../secret", "", 404},
		{"encoded dot (CVE-2021-41773, Apache)", "/docs/.%2e/.%2e/secret", "", 400},
		{"encoded dots (CVE-2021-41773)", "/%2e%2e/%2e%2e/secret", "", 400},
		{"encoded twice (CVE-2021-42013, Apache)", "/docs/%%32%65%%32%65/secret", "", 400},
		{"percent encoded (CVE-2021-42013)", "/%252e%252e/secret", "", 404},
		{"overlong UTF-8 (CVE-2008-2938, Tomcat)", "/%c0%ae%c0%ae/secret", "", 404},
		{"overlong slash", "/..%c0%afsecret", "", 404},
		{"UTF-16 escape (IIS)", "/%u002e%u002e/secret", "", 400},
		{"double slash redirect (CVE-2021-28861, http.server)", "//evil.example/..", "", 400},
		{"double slash redirect (CVE-2022-28923, Caddy)", "//evil.example/%2f..", "", 404},
		{"double slash in front of a directory", "//docs", "", 301},
		{"double slash as a host", "//evil.example", "", 301},
		{"slash and backslash as a host", "/\\evil.example", "", 400},
		{"slash and encoded backslash as a host", "/%5cevil.example/", "", 404},
		{"path of the machine (actix-files)", "//etc/passwd", "", 301},
		{"drive (CVE-2022-41722, path/filepath)", "/a/../c:/secret", "", 400},
		{"drive", "/c:/secret", "", 404},
		{"backslashes (CVE-2022-21221, fasthttp)", "/..%5c..%5csecret", "", 404},
		{"backslash in a segment", "/docs%5c..%5c..%5csecret", "", 404},
		{"semicolon (Tomcat behind a proxy)", "/..;/secret", "", 404},
		{"semicolon after a name", "/docs;/../secret", "", 400},
		{"trailing slash at the parent (CVE-2025-22873, os.Root)", "/../", "", 400},
		{"trailing slash at a link", "/out.txt/", "", 404},
		{"trailing dot", "/out.txt.", "", 404},
		{"trailing space", "/hello.txt%20", "", 404},
		{"stream of a file (NTFS)", "/hello.txt::$DATA", "", 404},
		{"NUL (CVE-2013-4547, nginx)", "/hello.txt%20%00.php", "", 400},
		{"NUL behind a name", "/hello.txt%00", "", 400},
		{"dotfile", "/.env", "", 404},
		{"dotfile, encoded", "/%2eenv", "", 404},
		{"dotfile in a directory", "/docs/.htpasswd", "", 404},
		{"below a dot directory", "/.git/config", "", 404},
		{"new line in a redirect", "/docs%0d%0aX:%20y", "", 400},
		{"new line in the query of a redirect", "/docs?a%0d%0aX:%20y", "", 301},
		{"FIFO", "/fifo", "", 404},
		{"negative range (CVE-2017-7529, nginx)", "/hello.txt", "Range: bytes=-9223372036854775608,-9223372036854775200", 200},
		{"many ranges (CVE-2025-62727, Starlette; CVE-2024-26141, Rack)", "/large.bin", "Range: bytes=" + strings.Repeat("0-,", 1500) + "0-", 200},
		{"one-byte ranges", "/large.bin", "Range: bytes=" + strings.Repeat("0-0,", 1500) + "0-0", 200},
		{"long digits in a range", "/hello.txt", "Range: bytes=" + strings.Repeat("9", 4000) + "-", 416},
		{"junk between commas", "/app.js", "Accept-Encoding: " + strings.Repeat(",;q=", 1500), 200},
	}
	for _, f := range startFrontEnds(t, root) {
		for _, c := range cases {
			var fields []string
			if c.fields != "" {
				fields = append(fields, c.fields)
			}
			r := get(t, f.addr, c.target, fields...)
			if r.status != c.status && !stdRefuses(f, c.target, r) {
				t.Errorf("%s: %s: %.80s: got %v, want %d", f.name, c.kind, c.target, r, c.status)
			}
			if strings.Contains(r.body+fmt.Sprint(r.header), canary) {
				t.Errorf("%s: %s: %.80s: the canary got out", f.name, c.kind, c.target)
			}
			location := r.header.Get("Location")
			if location != "" && (location[0] != '/' || strings.HasPrefix(location, "//") || strings.Contains(location, "\\")) {
				t.Errorf("%s: %s: %.80s: redirects to %q", f.name, c.kind, c.target, location)
			}
			if r.header.Get("X") != "" {
				t.Errorf("%s: %s: %.80s: a field got in", f.name, c.kind, c.target)
			}
		}
	}
}

// stdRefuses tells a target that net/http cannot parse and refuses by itself,
// with 400, before a handler is asked.
func stdRefuses(f frontEnd, target string, r reply) bool {
	return f.name == "net/http" && r.status == 400 && strings.Contains(target, "%")
}

// TestCanaryNeverAppears goes through every path that two short alphabets of
// tricks make up in front of the names outside.
func TestCanaryNeverAppears(t *testing.T) {
	fronts := startFrontEnds(t, fixtures(t), server.WithListing(), server.WithDotfiles(), server.WithRevalidate(0), server.WithCache(1<<20, 16))
	dots := []string{"..", "%2e%2e", ".%2e", "%252e%252e", "%c0%ae%c0%ae", "...", "..;", "..%00", ". .", "docs/..", "outdir", "proc/root"}
	slashes := []string{"/", "//", "%2f", "%252f", "\\", "%5c", "%c0%af", "/./", ";/"}
	names := []string{"secret", "outside/page.txt", "root-sibling/page.txt", "etc/passwd", ""}
	// The fixture's dotfiles are canaries of their own: with dotfiles on they
	// are content, so they are not asked for here.
	n := 0
	for _, a := range dots {
		for _, slash := range slashes {
			for _, b := range dots {
				for _, name := range names {
					target := "/" + a + slash + b + slash + name
					f := fronts[n%len(fronts)]
					r, err := exchangeRaw(t, f.addr, "GET "+target+" HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n")
					if err == nil && (strings.Contains(r.body, canary) || strings.Contains(r.body, "root:")) {
						t.Fatalf("%s: %q: the canary got out", f.name, target)
					}
					n++
				}
			}
		}
	}
	if n < 1000 {
		t.Errorf("asked %d times, want more than 1,000", n)
	}
}

// TestFIFODoesNotHang asks for FIFOs wherever a file could be.
func TestFIFODoesNotHang(t *testing.T) {
	root := fixtures(t)
	for _, name := range []string{"fifo.txt", "hello.txt.gz", "plain/index.html"} {
		must(t, unix.Mkfifo(filepath.Join(root, name), 0o644))
	}
	fronts := startFrontEnds(t, root)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for target, want := range map[string]int{"/fifo.txt": 404, "/hello.txt": 200, "/plain/": 404} {
			for _, f := range fronts {
				if r := get(t, f.addr, target, "Accept-Encoding: gzip"); r.status != want {
					t.Errorf("%s: %s: got %v, want %d", f.name, target, r, want)
				}
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("a request hangs")
	}
}
