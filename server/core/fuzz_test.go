package core_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/server/core"
)

// FuzzHandle asks whatever it likes: every answer is well-formed, says its
// length, and holds nothing from outside the root nor from a dotfile. The
// second answer, which may come from the cache, is that of the first.
func FuzzHandle(f *testing.F) {
	root := fixtures(f)
	outside := filepath.Join(f.TempDir(), "outside.txt")
	if err := errors.Join(
		os.WriteFile(outside, []byte("canary"), 0o644),
		os.Symlink(outside, filepath.Join(root, "link")),
		os.Symlink(filepath.Dir(outside), filepath.Join(root, "dirlink")),
	); err != nil {
		f.Fatal(err)
	}
	settle()
	site := open(f, root, func(c *core.Config) {
		c.Listing, c.SidecarOnly, c.Fallback = true, true, "index.html"
		c.CacheBytes = 16 << 10 // so that it is full at once
	})
	for _, target := range []string{"/", "/app.js", "/hello.txt?x", "/docs", "/link", "/dirlink/outside.txt", "/a%2520b.txt", "//x/..", "http://x/only.svg", "/plain/", "*"} {
		f.Add("GET", target, "gzip, br;q=0", "bytes=0-1,3-", `"x"`, "Fri, 01 Mar 2024 12:00:00 GMT")
	}
	f.Fuzz(func(t *testing.T, method, target, accept, ranges, tag, since string) {
		req := core.Request{
			Method: method, Target: target, AcceptEncoding: accept, Range: ranges,
			IfNoneMatch: tag, IfMatch: since, IfRange: tag, IfModifiedSince: since, IfUnmodifiedSince: tag,
		}
		var first, second core.Response
		site.Handle(&req, &first)
		site.Handle(&req, &second)
		defer first.Release()
		defer second.Release()
		if first.Status != second.Status || !strings.Contains(string(first.Head), "multipart") && !bytes.Equal(first.Head, second.Head) {
			t.Fatalf("%+v: got %q, then %q", req, first.Head, second.Head)
		}
		if bytes.Contains(first.Body, []byte("canary")) || bytes.Contains(first.Head, []byte("canary")) {
			t.Fatalf("%+v: the canary got out", req)
		}
		checkHead(t, req, &first)
	})
}

// checkHead demands lines of name, colon, value, and the right length.
func checkHead(t *testing.T, req core.Request, resp *core.Response) {
	if !bytes.HasSuffix(resp.Head, []byte("\r\n")) || bytes.Contains(resp.Head, []byte("\r\n\r\n")) {
		t.Fatalf("%+v: head %q", req, resp.Head)
	}
	length := "none"
	for name, value := range resp.Fields() {
		if len(name) == 0 || bytes.ContainsAny(name, " \t\r\n") || bytes.ContainsAny(value, "\r\n\x00") {
			t.Fatalf("%+v: field %q: %q", req, name, value)
		}
		if string(name) == "Content-Length" {
			length = string(value)
		}
	}
	want := strconv.FormatInt(int64(len(resp.Body))+resp.Section.Length, 10)
	if resp.Status == 304 || resp.Status == 204 {
		want = "none"
	}
	if length != want && req.Method != "HEAD" {
		t.Fatalf("%+v: %d: Content-Length %s, want %s", req, resp.Status, length, want)
	}
}
