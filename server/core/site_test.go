package core_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/perfpin/perfpin/server/core"
	"github.com/perfpin/perfpin/server/rootfs"
)

// modified is the time of the fixtures.
var modified = time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)

// write makes the file name below dir, with the fixtures' time.
func write(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	touch(t, path, modified)
}

func touch(t testing.TB, path string, when time.Time) {
	t.Helper()
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
}

// fixtures makes a root with one file of each kind that matters.
func fixtures(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{
		"index.html":            "<body>home</body>",
		"hello.txt":             "hello, world",
		"empty.txt":             "",
		"docs/index.html":       "docs",
		"plain/file.txt":        "file",
		"with space/é.txt":      "odd name",
		"a#b.txt":               "not plain",
		"same.js":               "same",
		"same.js.gz":            "same",
		"100%.txt":              "percent",
		"a%20b.txt":             "looks escaped",
		"app.js":                strings.Repeat("js ", 100),
		"app.js.gz":             "gzipped",
		"app.js.br":             "brotli",
		"app.js.zst":            "zstandard",
		"old.css":               "css",
		"old.css.gz":            "stale",
		"only.svg.gz":           "only gzipped",
		".env":                  "canary",
		".git/config":           "canary",
		"assets/app.1f2e.js":    "hashed",
		"errors/not-found.html": "<h1>nothing here</h1>",
	} {
		write(t, root, name, content)
	}
	touch(t, filepath.Join(root, "old.css.gz"), modified.Add(-time.Second))
	return root
}

// open makes a Site that is closed with the test.
func open(t testing.TB, root string, change func(*core.Config)) *core.Site {
	t.Helper()
	config := core.Defaults()
	if change != nil {
		change(&config)
	}
	site, err := core.Open(root, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	return site
}

// answer is a Response taken apart.
type answer struct {
	status int
	fields map[string]string
	body   string
}

// ask sends one request and reads the whole answer.
func ask(t testing.TB, site *core.Site, req core.Request) answer {
	t.Helper()
	if req.Method == "" {
		req.Method = "GET"
	}
	var resp core.Response
	site.Handle(&req, &resp)
	defer resp.Release()
	a := answer{status: resp.Status, fields: map[string]string{}, body: string(resp.Body)}
	if want := fmt.Sprintf("HTTP/1.1 %d ", resp.Status); !strings.HasPrefix(string(resp.Head), want) {
		t.Errorf("%s: head begins %.20q, want %q", req.Target, resp.Head, want)
	}
	for name, value := range resp.Fields() {
		if _, twice := a.fields[string(name)]; twice {
			t.Errorf("%s: field %s stands twice", req.Target, name)
		}
		a.fields[string(name)] = string(value)
	}
	if n := resp.Section.Length; n > 0 {
		content := make([]byte, n)
		if _, err := resp.Section.ReadAt(content, resp.Section.Offset); err != nil {
			t.Fatalf("%s: section: %v", req.Target, err)
		}
		a.body = string(content)
	}
	return a
}

func get(t testing.TB, site *core.Site, target string) answer {
	t.Helper()
	return ask(t, site, core.Request{Target: target})
}

// settle waits until the cache takes files that were just written.
func settle() { time.Sleep(rootfs.Settling * 3 / 2) }
