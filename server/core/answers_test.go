package core_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server/core"
)

func TestPaths(t *testing.T) {
	site := open(t, fixtures(t), nil)
	cases := []struct {
		target   string
		status   int
		body     string // of 200
		location string // of 301
	}{
		{"/", 200, "<body>home</body>", ""},
		{"/hello.txt", 200, "hello, world", ""},
		{"/hello.txt?v=1", 200, "hello, world", ""},
		{"/hello%2etxt", 200, "hello, world", ""},
		{"/empty.txt", 200, "", ""},
		{"/docs/", 200, "docs", ""},
		{"/docs/?q", 200, "docs", ""},
		{"/with%20space/%C3%A9.txt", 200, "odd name", ""},
		{"/100%25.txt", 200, "percent", ""},
		{"/a%23b.txt", 200, "not plain", ""},
		{"/a%2520b.txt", 200, "looks escaped", ""},
		{"http://example.org/hello.txt", 200, "hello, world", ""},
		{"HTTPS://example.org", 200, "<body>home</body>", ""},
		{"http://example.org?x", 200, "<body>home</body>", ""},

		{"/docs", 301, "", "/docs/"},
		{"/docs?a=b&c", 301, "", "/docs/?a=b&c"},
		{"/with%20space", 301, "", "/with%20space/"},
		{"/hello.txt/", 301, "", "/hello.txt"},
		{"/docs/index.html", 301, "", "/docs/"},
		{"/index.html?x", 301, "", "/?x"},
		{"//docs//", 301, "", "/docs/"},
		{"//evil.example/%2f", 404, "", ""},
		{"//evil.example", 301, "", "/evil.example"},
		{"////evil.example/", 301, "", "/evil.example/"},
		{"http://example.org//evil.example", 301, "", "/evil.example"},

		{"/missing", 404, "", ""},
		{"/a%20b.txt", 404, "", ""},
		{"/plain/", 404, "", ""},
		{"/hello.txt/more", 404, "", ""},
		{"/missing/", 404, "", ""},
		{"/only.svg", 404, "", ""},
		{"/" + strings.Repeat("long", 100), 404, "", ""},
		{"/hello.txt.", 404, "", ""},
		{"/hello.txt%20", 404, "", ""},
		{"/hello.txt::$DATA", 404, "", ""},

		{"/a#b.txt", 400, "", ""},
		{"hello.txt", 400, "", ""},
		{"http://", 400, "", ""},
		{"", 400, "", ""},
		{"*", 400, "", ""},
		{"http:///hello.txt", 400, "", ""},
		{"ftp://example.org/hello.txt", 400, "", ""},
		{"/hello.txt%00", 400, "", ""},
		{"/%", 400, "", ""},
	}
	for round := range 2 { // the second time from the cache
		for _, c := range cases {
			a := get(t, site, c.target)
			if a.status != c.status || a.fields["Location"] != c.location || c.status == 200 && a.body != c.body {
				t.Errorf("round %d: %q: got %d, %q, %q, want %d, %q, %q", round,
					c.target, a.status, a.fields["Location"], a.body, c.status, c.location, c.body)
			}
			if want := strconv.Itoa(len(a.body)); a.fields["Content-Length"] != want {
				t.Errorf("%q: Content-Length: got %s, want %s", c.target, a.fields["Content-Length"], want)
			}
		}
		settle()
	}
}

func TestMethods(t *testing.T) {
	site := open(t, fixtures(t), nil)
	for _, target := range []string{"/hello.txt", "/missing", "/docs", "/app.js"} {
		full := get(t, site, target)
		head := ask(t, site, core.Request{Method: "HEAD", Target: target})
		if head.body != "" || head.status != full.status || fmt.Sprint(head.fields) != fmt.Sprint(full.fields) {
			t.Errorf("HEAD %s: got %v, want the head of %v", target, head, full)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "get", "BREW"} {
		a := ask(t, site, core.Request{Method: method, Target: "/hello.txt"})
		if a.status != 405 || a.fields["Allow"] != "GET, HEAD, OPTIONS" {
			t.Errorf("%s: got %d, Allow %q, want 405 and the three methods", method, a.status, a.fields["Allow"])
		}
	}
	for _, target := range []string{"*", "/hello.txt"} {
		a := ask(t, site, core.Request{Method: "OPTIONS", Target: target})
		_, hasLength := a.fields["Content-Length"]
		if a.status != 204 || a.fields["Allow"] != "GET, HEAD, OPTIONS" || hasLength {
			t.Errorf("OPTIONS %s: got %v, want 204 with Allow and without length", target, a)
		}
	}
}

func TestSidecars(t *testing.T) {
	site := open(t, fixtures(t), nil)
	cases := []struct {
		target, accept string
		status         int
		coding, body   string
		vary           bool
	}{
		{"/app.js", "", 200, "", strings.Repeat("js ", 100), true},
		{"/app.js", "gzip", 200, "gzip", "gzipped", true},
		{"/app.js", "gzip, br, zstd", 200, "br", "brotli", true},
		{"/app.js", "gzip, zstd;q=0.9", 200, "gzip", "gzipped", true},
		{"/app.js", "zstd", 200, "zstd", "zstandard", true},
		{"/app.js", "*;q=0", 406, "", "Not Acceptable\n", true},
		{"/app.js", "identity;q=0, deflate", 406, "", "Not Acceptable\n", true},
		{"/app.js", "identity;q=0, gzip;q=0.1", 200, "gzip", "gzipped", true},
		{"/old.css", "gzip", 200, "", "css", false},
		{"/hello.txt", "gzip, br", 200, "", "hello, world", false},
		{"/hello.txt", "identity;q=0", 406, "", "Not Acceptable\n", true},
		{"/app.js.gz", "gzip", 200, "", "gzipped", false},
	}
	for _, c := range cases {
		a := ask(t, site, core.Request{Target: c.target, AcceptEncoding: c.accept})
		vary := a.fields["Vary"] == "Accept-Encoding"
		if a.status != c.status || a.fields["Content-Encoding"] != c.coding || a.body != c.body || vary != c.vary {
			t.Errorf("%s with %q: got %v, want %+v", c.target, c.accept, a, c)
		}
		if c.status == 200 && c.coding != "" && a.fields["Content-Type"] != "text/javascript; charset=utf-8" {
			t.Errorf("%s with %q: Content-Type %q", c.target, c.accept, a.fields["Content-Type"])
		}
	}
}

func TestSidecarOnly(t *testing.T) {
	site := open(t, fixtures(t), func(c *core.Config) { c.SidecarOnly = true })
	if a := ask(t, site, core.Request{Target: "/only.svg", AcceptEncoding: "gzip"}); a.status != 200 ||
		a.body != "only gzipped" || a.fields["Content-Type"] != "image/svg+xml" || a.fields["Vary"] == "" {
		t.Errorf("/only.svg with gzip: got %v, want the sidecar", a)
	}
	if a := get(t, site, "/only.svg"); a.status != 406 {
		t.Errorf("/only.svg without a coding: got %d, want 406", a.status)
	}
	if a := get(t, site, "/missing.svg"); a.status != 404 {
		t.Errorf("/missing.svg: got %d, want 404", a.status)
	}
}

func TestSidecarsOff(t *testing.T) {
	site := open(t, fixtures(t), func(c *core.Config) { c.Sidecars = false })
	if a := ask(t, site, core.Request{Target: "/app.js", AcceptEncoding: "gzip"}); a.fields["Content-Encoding"] != "" || a.fields["Vary"] != "" {
		t.Errorf("/app.js: got %v, want the file itself", a.fields)
	}
}

// TestPreconditions goes through the order of RFC 9110 §13.2.2.
func TestPreconditions(t *testing.T) {
	site := open(t, fixtures(t), nil)
	tag := get(t, site, "/hello.txt").fields["ETag"]
	if len(tag) < 3 || tag[0] != '"' {
		t.Fatalf("ETag: got %q, want a strong one", tag)
	}
	at, before, after := date(modified), date(modified.Add(-time.Hour)), date(modified.Add(time.Hour))
	type r = core.Request
	cases := []struct {
		req    core.Request
		status int
	}{
		{r{IfMatch: tag}, 200},
		{r{IfMatch: "*"}, 200},
		{r{IfMatch: `"x"`}, 412},
		{r{IfMatch: "W/" + tag}, 412},
		{r{IfMatch: `"x"`, IfNoneMatch: tag}, 412},
		{r{IfMatch: tag, IfUnmodifiedSince: before}, 200},
		{r{IfUnmodifiedSince: before}, 412},
		{r{IfUnmodifiedSince: at}, 200},
		{r{IfUnmodifiedSince: "yesterday"}, 200},
		{r{IfNoneMatch: tag}, 304},
		{r{IfNoneMatch: "W/" + tag}, 304},
		{r{IfNoneMatch: `"x", ` + tag}, 304},
		{r{IfNoneMatch: "*"}, 304},
		{r{IfNoneMatch: `"x"`}, 200},
		{r{IfNoneMatch: `"x"`, IfModifiedSince: after}, 200},
		{r{IfModifiedSince: at}, 304},
		{r{IfModifiedSince: "Friday, 01-Mar-24 12:00:00 GMT"}, 304},
		{r{IfModifiedSince: after}, 304},
		{r{IfModifiedSince: before}, 200},
		{r{IfModifiedSince: "0"}, 200},
		{r{IfNoneMatch: tag, Range: "bytes=0-1"}, 304},
		{r{IfMatch: `"x"`, Range: "bytes=0-1"}, 412},
		{r{IfRange: tag, Range: "bytes=0-1"}, 206},
		{r{IfRange: "W/" + tag, Range: "bytes=0-1"}, 200},
		{r{IfRange: `"x"`, Range: "bytes=0-1"}, 200},
		{r{IfRange: at, Range: "bytes=0-1"}, 206},
		{r{IfRange: after, Range: "bytes=0-1"}, 200},
		{r{IfRange: before, Range: "bytes=0-1"}, 200},
		{r{IfRange: "junk", Range: "bytes=0-1"}, 200},
		{r{IfRange: `"x"`, Range: "bytes=99-"}, 200},
		{r{IfRange: tag}, 200},
	}
	for _, c := range cases {
		for _, method := range []string{"GET", "HEAD"} {
			req, want := c.req, c.status
			req.Method, req.Target = method, "/hello.txt"
			if method == "HEAD" && want == 206 { // Range is defined for GET alone
				want = 200
			}
			if a := ask(t, site, req); a.status != want {
				t.Errorf("%+v: got %d, want %d", req, a.status, want)
			}
		}
	}
}

func date(t time.Time) string { return t.Format("Mon, 02 Jan 2006 15:04:05 GMT") }

func TestNotModifiedCarriesWhatItHasTo(t *testing.T) {
	site := open(t, fixtures(t), nil)
	full := ask(t, site, core.Request{Target: "/app.js", AcceptEncoding: "br"})
	a := ask(t, site, core.Request{Target: "/app.js", AcceptEncoding: "br", IfNoneMatch: full.fields["ETag"]})
	want := map[string]string{"ETag": full.fields["ETag"], "Vary": "Accept-Encoding"}
	if a.status != 304 || a.body != "" || fmt.Sprint(a.fields) != fmt.Sprint(want) {
		t.Errorf("304: got %v, want the fields %v", a, want)
	}
	// Another coding is another representation, be its bytes the same.
	plain := get(t, site, "/same.js").fields["ETag"]
	if c := ask(t, site, core.Request{Target: "/same.js", AcceptEncoding: "gzip"}); c.fields["ETag"] == plain {
		t.Errorf("/same.js: the tag %s stands for two codings", plain)
	}
	b := ask(t, site, core.Request{Target: "/app.js", AcceptEncoding: "gzip", IfNoneMatch: full.fields["ETag"]})
	if b.status != 200 || b.fields["ETag"] == full.fields["ETag"] {
		t.Errorf("tag of br with gzip: got %d and %s, want 200 and another tag", b.status, b.fields["ETag"])
	}
}

func TestRanges(t *testing.T) {
	site := open(t, fixtures(t), nil)
	fromFile := open(t, fixtures(t), func(c *core.Config) { c.CacheFileBytes = 0 })
	const content = "hello, world"
	cases := []struct {
		value  string
		status int
		body   string
		field  string // Content-Range
	}{
		{"bytes=0-4", 206, "hello", "bytes 0-4/12"},
		{"bytes=7-", 206, "world", "bytes 7-11/12"},
		{"bytes=-5", 206, "world", "bytes 7-11/12"},
		{"bytes=0-99", 206, content, "bytes 0-11/12"},
		{"bytes=12-", 416, "Range Not Satisfiable\n", "bytes */12"},
		{"bytes=5-2", 200, content, ""},
		{"chapters=1", 200, content, ""},
		{"bytes=" + strings.Repeat("0-0,", 17), 200, content, ""},
		{"bytes=0-,0-", 200, content, ""},
	}
	for _, s := range []*core.Site{site, fromFile} {
		for _, c := range cases {
			a := ask(t, s, core.Request{Target: "/hello.txt", Range: c.value})
			if a.status != c.status || a.body != c.body || a.fields["Content-Range"] != c.field {
				t.Errorf("%s: got %v, want %+v", c.value, a, c)
			}
			if a.fields["Content-Length"] != strconv.Itoa(len(a.body)) {
				t.Errorf("%s: Content-Length %s for %d bytes", c.value, a.fields["Content-Length"], len(a.body))
			}
		}
		if a := ask(t, s, core.Request{Target: "/empty.txt", Range: "bytes=0-"}); a.status != 416 || a.fields["Content-Range"] != "bytes */0" {
			t.Errorf("/empty.txt: got %v, want 416", a)
		}
		if a := ask(t, s, core.Request{Target: "/app.js", AcceptEncoding: "gzip", Range: "bytes=0-3"}); a.status != 206 || a.body != "gzip" ||
			a.fields["Content-Encoding"] != "gzip" || a.fields["Vary"] != "Accept-Encoding" || a.fields["ETag"] == "" {
			t.Errorf("/app.js: got %v, want a part of the coded form", a)
		}
	}
}

func TestMultipleRanges(t *testing.T) {
	for _, memory := range []int64{0, 1 << 20} {
		site := open(t, fixtures(t), func(c *core.Config) { c.CacheFileBytes = memory })
		a := ask(t, site, core.Request{Target: "/hello.txt", Range: "bytes=0-0, -5"})
		boundary, ok := strings.CutPrefix(a.fields["Content-Type"], "multipart/byteranges; boundary=")
		want := "\r\n--" + boundary + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 0-0/12\r\n\r\nh" +
			"\r\n--" + boundary + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 7-11/12\r\n\r\nworld" +
			"\r\n--" + boundary + "--\r\n"
		if a.status != 206 || !ok || a.body != want || a.fields["Content-Length"] != strconv.Itoa(len(want)) {
			t.Errorf("two ranges: got %v, want the body %q", a, want)
		}
	}
}
