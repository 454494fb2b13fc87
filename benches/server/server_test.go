// Package server_test measures the static file server's core: what a request
// costs once it is read and before its answer is written.
package server_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server/core"
	"github.com/perfpin/perfpin/server/rootfs"
	"github.com/perfpin/perfpin/server/urlpath"
)

// modified is the time of every fixture, since tags and dates cost by their
// digits.
var modified = time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)

// writeFixtures fills a new root: a page, a page with a gzip sidecar, and a
// large file.
func writeFixtures(b *testing.B) string {
	root := b.TempDir()
	fixtures := []struct {
		name string
		size int
	}{{"small.html", 1 << 10}, {"app.js", 16 << 10}, {"app.js.gz", 4 << 10}, {"large.bin", 1 << 20}}
	for _, f := range fixtures {
		path := filepath.Join(root, f.name)
		content := bytes.Repeat([]byte("0123456789abcdef"), f.size/16)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(path, modified, modified); err != nil {
			b.Fatal(err)
		}
	}
	time.Sleep(rootfs.Settling * 3 / 2) // the cache keeps no fresh file
	return root
}

func BenchmarkHandleRequest(b *testing.B) {
	cases := []struct {
		name    string
		request core.Request
		status  int
		length  int64 // of the content, in memory or in a file
	}{
		{"small_file_200", core.Request{Target: "/small.html"}, 200, 1 << 10},
		{"large_file_200", core.Request{Target: "/large.bin"}, 200, 1 << 20},
		{"not_modified_304", core.Request{Target: "/small.html"}, 304, 0},
		{"sidecar_hit_200", core.Request{Target: "/app.js", AcceptEncoding: "gzip, deflate, br, zstd"}, 200, 4 << 10},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			config := core.Defaults()
			config.Clock = func() time.Time { return modified.Add(time.Hour) }
			site, err := core.Open(writeFixtures(b), config)
			if err != nil {
				b.Fatal(err)
			}
			defer site.Close()

			request := c.request
			request.Method = "GET"
			var response core.Response
			site.Handle(&request, &response)
			if c.status == 304 {
				request.IfNoneMatch = entityTag(&response)
			}
			response.Release()

			b.ReportAllocs()
			for b.Loop() {
				site.Handle(&request, &response)
				length := int64(len(response.Body)) + response.Section.Length
				if response.Status != c.status || length != c.length {
					b.Fatalf("%s: got %d and %d bytes, want %d and %d",
						request.Target, response.Status, length, c.status, c.length)
				}
				response.Release()
			}
		})
	}
}

// entityTag is the answer's ETag.
func entityTag(r *core.Response) string {
	for name, value := range r.Fields() {
		if string(name) == "ETag" {
			return string(value)
		}
	}
	return ""
}

func BenchmarkResolvePath(b *testing.B) {
	cases := []struct {
		name string
		raw  string
		file string
		err  error
	}{
		{"shallow", "/index.css", "index.css", nil},
		{"deep", "/assets/v2/themes/dark/icons/arrows/left.svg", "assets/v2/themes/dark/icons/arrows/left.svg", nil},
		{"percent_decoded", "/caf%C3%A9/men%C3%BC%20(1).html", "café/menü (1).html", nil},
		{"traversal_rejected", "/assets/%2e%2e/%2e%2e/etc/passwd", "", urlpath.ErrDotSegment},
		{"directory_index", "/docs/guide/", "docs/guide/index.html", nil},
	}
	rules := urlpath.Rules{Index: "index.html"}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			buf := make([]byte, 0, 256)
			b.ReportAllocs()
			for b.Loop() {
				path, err := rules.Resolve(buf, c.raw)
				if err != c.err || string(path.File) != c.file {
					b.Fatalf("%s: got %q and %v, want %q and %v", c.raw, path.File, err, c.file, c.err)
				}
			}
		})
	}
}
