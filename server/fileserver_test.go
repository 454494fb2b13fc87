package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/perfpin/perfpin/server"
)

// TestAgreesWithFileServer compares with http.FileServer wherever that has an
// answer: status, content, length, range, date, and where a redirect leads.
// It has no entity tags, sidecars, nor a rule for dotfiles.
func TestAgreesWithFileServer(t *testing.T) {
	root := fixtures(t)
	ours, theirs := newServer(t, root), http.FileServer(http.Dir(root))
	targets := []string{
		"/", "/index.html", "/index.html?q=1", "/hello.txt", "/hello.txt?a=b", "/hello.txt/", "/empty.txt", "/large.bin",
		"/docs", "/docs?a=b", "/docs/", "/docs/index.html", "/docs/%C3%A9%20x.txt", "/docs/../hello", "/missing", "/missing/",
		"/inside.txt", "/plain/a.txt", "/plain", "/app.js", "/HELLO.TXT", "/hello%2Etxt",
	}
	fields := []http.Header{
		{},
		{"Range": {"bytes=0-4"}}, {"Range": {"bytes=-4"}}, {"Range": {"bytes=3-"}}, {"Range": {"bytes=0-99999999"}},
		{"Range": {"bytes=99999999-"}}, {"Range": {"bytes=-0"}}, {"Range": {"bytes=0-,0-,0-"}},
		{"If-Modified-Since": {"Fri, 01 Mar 2024 12:00:00 GMT"}}, {"If-Modified-Since": {"Fri, 01 Mar 2024 11:59:59 GMT"}},
		{"If-Modified-Since": {"Friday, 01-Mar-24 12:00:00 GMT"}}, {"If-Modified-Since": {"junk"}},
		{"If-Unmodified-Since": {"Fri, 01 Mar 2024 11:59:59 GMT"}}, {"If-Unmodified-Since": {"Fri, 01 Mar 2024 12:00:00 GMT"}},
		{"If-None-Match": {"*"}}, {"If-Match": {"*"}}, {"If-Match": {`"x"`}},
		{"If-None-Match": {`"x"`}, "If-Modified-Since": {"Fri, 01 Mar 2024 12:00:00 GMT"}},
		{"If-Range": {"Fri, 01 Mar 2024 12:00:00 GMT"}, "Range": {"bytes=0-4"}},
		{"If-Range": {"Fri, 01 Mar 2024 11:00:00 GMT"}, "Range": {"bytes=0-4"}},
		{"If-Range": {`"x"`}, "Range": {"bytes=0-4"}},
	}
	for _, target := range targets {
		for _, f := range fields {
			for _, method := range []string{"GET", "HEAD"} {
				if fileServerDiffers(method, target, f) {
					continue
				}
				a, b := record(ours, method, target, f), record(theirs, method, target, f)
				if a.Code != b.Code || b.Code < 400 && a.Body.String() != b.Body.String() {
					t.Errorf("%s %s %v: got %d and %.40q, http.FileServer %d and %.40q", method, target, f, a.Code, a.Body, b.Code, b.Body)
				}
				for _, name := range []string{"Content-Range", "Last-Modified", "Accept-Ranges", "Content-Length"} {
					if a.Header().Get(name) != b.Header().Get(name) && b.Code < 300 {
						t.Errorf("%s %s %v: %s: got %q, http.FileServer %q", method, target, f, name, a.Header().Get(name), b.Header().Get(name))
					}
				}
				if x, y := leadsTo(t, target, a), leadsTo(t, target, b); x != y {
					t.Errorf("%s %s %v: leads to %q, http.FileServer to %q", method, target, f, x, y)
				}
			}
		}
	}
}

// fileServerDiffers lists where the answers are meant to differ.
func fileServerDiffers(method, target string, f http.Header) bool {
	switch {
	case target == "/docs/../hello":
		return true // a dot segment is refused, not cleaned away
	case method == "HEAD" && f.Get("Range") != "":
		return true // Range is defined for GET alone (RFC 9110 §14.2)
	case target == "/empty.txt" && f.Get("Range") != "":
		return true // 416, where it answers 200
	case f.Get("Range") == "bytes=-0":
		return true // 416, where it answers 206 with an impossible Content-Range
	}
	return false
}

func record(h http.Handler, method, target string, f http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	r.Header = f.Clone()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// leadsTo resolves the Location of an answer, if it has one.
func leadsTo(t *testing.T, target string, w *httptest.ResponseRecorder) string {
	location := w.Header().Get("Location")
	if location == "" {
		return ""
	}
	base, err := url.Parse(target)
	must(t, err)
	to, err := base.Parse(location)
	must(t, err)
	return to.String()
}

func TestStripPrefix(t *testing.T) {
	h := http.StripPrefix("/static", newServer(t, fixtures(t)))
	if w := record(h, "GET", "/static/docs/%C3%A9%20x.txt", nil); w.Code != 200 || w.Body.String() != "odd name" {
		t.Errorf("below the prefix: got %d and %q, want the file", w.Code, w.Body)
	}
	if w := record(h, "GET", "/static/..%2fsecret", nil); w.Code != 404 {
		t.Errorf("escaping the prefix: got %d, want 404", w.Code)
	}
}

func TestRequestMadeByHand(t *testing.T) {
	r, err := http.NewRequest("GET", "http://x/hello.txt", nil)
	must(t, err)
	w := httptest.NewRecorder()
	newServer(t, fixtures(t), server.WithCache(0, 0)).ServeHTTP(w, r)
	if w.Code != 200 || w.Body.String() != "hello, world" {
		t.Errorf("got %d and %q, want the file", w.Code, w.Body)
	}
}
