package core_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/server/core"
)

func TestListing(t *testing.T) {
	root := fixtures(t)
	write(t, root, "plain/<b>&.txt", "x")
	write(t, root, "plain/javascript:alert(1)", "x")
	write(t, root, "plain/.hidden", "x")
	write(t, root, "plain/sub/x", "x")
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "plain/out")); err != nil {
		t.Fatal(err)
	}
	site := open(t, root, func(c *core.Config) { c.Listing = true })
	a := get(t, site, "/plain/")
	want := []string{
		`<li><a href="../">../</a>`, `<li><a href="./sub/">sub/</a>`,
		`<li><a href="./%3Cb%3E%26.txt">&lt;b&gt;&amp;.txt</a>`, `<li><a href="./file.txt">file.txt</a>`,
		`<li><a href="./javascript:alert(1)">javascript:alert(1)</a>`,
	}
	var got []string
	for _, line := range strings.Split(a.body, "\n") {
		if strings.HasPrefix(line, "<li>") {
			got = append(got, line)
		}
	}
	if a.status != 200 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("/plain/: got %d and\n%s\nwant\n%s", a.status, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if a := get(t, site, "/docs/"); a.body != "docs" {
		t.Errorf("/docs/: got %q, want the index", a.body)
	}
}

func TestFallback(t *testing.T) {
	root := fixtures(t)
	for _, page := range []string{"index.html", "docs/index.html", "errors/not-found.html"} {
		content, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		site := open(t, root, func(c *core.Config) { c.Fallback = page })
		cases := []struct {
			target, accept, dest string
			status               int
		}{
			{"/users/42", "", "", 200},
			{"/users/42/", "text/html,*/*;q=0.8", "document", 200},
			{"/users/42", "*/*", "", 200},
			{"/users/42", "*/*", "empty", 404}, // fetch()
			{"/users/42", "*/*", "script", 404},
			{"/users/42", "application/json", "", 404},
			{"/missing.js", "text/html", "document", 404},
			{"/assets/missing.css", "", "", 404},
			{"/.env", "", "", 404},
			{"/..%2fx", "", "", 404},
			{"/plain/", "", "", 404}, // a directory is not missing
		}
		for _, c := range cases {
			a := ask(t, site, core.Request{Target: c.target, Accept: c.accept, SecFetchDest: c.dest})
			if a.status != c.status || (a.body == string(content)) != (c.status == 200) {
				t.Errorf("%s: %+v: got %d and %q", page, c, a.status, a.body)
			}
		}
	}
}

func TestImmutable(t *testing.T) {
	site := open(t, fixtures(t), func(c *core.Config) {
		c.Fallback = "index.html"
		c.Immutable = func(path string) bool { return strings.HasPrefix(path, "/assets/") || path == "/users" }
	})
	const want = "public, max-age=31536000, immutable"
	if got := get(t, site, "/assets/app.1f2e.js").fields["Cache-Control"]; got != want {
		t.Errorf("asset: Cache-Control %q, want %q", got, want)
	}
	for _, target := range []string{"/assets/missing.js", "/assets/missing", "/assets", "/hello.txt", "/users"} {
		if a := get(t, site, target); a.fields["Cache-Control"] != "" {
			t.Errorf("%s: status %d, Cache-Control %q, want none", target, a.status, a.fields["Cache-Control"])
		}
	}
}

func TestHeaderRules(t *testing.T) {
	site := open(t, fixtures(t), func(c *core.Config) {
		c.Immutable = func(string) bool { return true }
		c.Headers = []core.HeaderRule{
			{Pattern: "/**", Fields: []core.HeaderField{{Name: "X-Content-Type-Options", Value: "nosniff"}}},
			{Pattern: "/*.txt", Fields: []core.HeaderField{{Name: "Content-Type", Value: "text/x-odd"}, {Name: "Cache-Control", Value: "no-cache"}}},
		}
	})
	a := get(t, site, "/hello.txt")
	if a.fields["X-Content-Type-Options"] != "nosniff" || a.fields["Content-Type"] != "text/x-odd" || a.fields["Cache-Control"] != "no-cache" {
		t.Errorf("/hello.txt: got %v, want the fields of both rules", a.fields)
	}
	b := get(t, site, "/plain/file.txt")
	if b.fields["X-Content-Type-Options"] != "nosniff" || b.fields["Content-Type"] != "text/plain; charset=utf-8" {
		t.Errorf("/plain/file.txt: got %v, want those of the first rule", b.fields)
	}
	if c := ask(t, site, core.Request{Target: "/hello.txt", IfNoneMatch: a.fields["ETag"]}); c.fields["Cache-Control"] != "no-cache" {
		t.Errorf("304: got %v, want the same Cache-Control", c.fields)
	}
}

func TestErrorPages(t *testing.T) {
	var reported []error
	site := open(t, fixtures(t), func(c *core.Config) {
		c.ErrorPages = map[int]string{404: "errors/not-found.html", 405: "errors/gone.html"}
		c.CacheFileBytes = 1 // a page is read whole all the same
		c.OnError = func(err error) { reported = append(reported, err) }
	})
	for range 2 {
		a := get(t, site, "/missing")
		if a.status != 404 || a.body != "<h1>nothing here</h1>" || a.fields["Content-Type"] != "text/html; charset=utf-8" || a.fields["ETag"] != "" {
			t.Errorf("/missing: got %v, want the page with 404", a)
		}
	}
	if a := ask(t, site, core.Request{Method: "POST", Target: "/"}); a.status != 405 || a.body != "Method Not Allowed\n" {
		t.Errorf("a page that is missing: got %v, want the text", a)
	}
	if len(reported) != 1 || !strings.Contains(reported[0].Error(), `error page 405: "errors/gone.html"`) {
		t.Errorf("reported %v, want the missing page", reported)
	}
}

func TestInject(t *testing.T) {
	root := fixtures(t)
	write(t, root, "docs/index.html.gz", "gzipped")
	site := open(t, root, func(c *core.Config) {
		c.Inject = []byte("<script></script>")
		c.CacheFileBytes = 1 // HTML is read whole all the same
	})
	for target, want := range map[string]string{
		"/":          "<body>home<script></script></body>",
		"/docs/":     "docs<script></script>",
		"/hello.txt": "hello, world",
		"/app.js":    "gzipped",
	} {
		a := ask(t, site, core.Request{Target: target, AcceptEncoding: "gzip"})
		if a.body != want || a.fields["Content-Length"] != fmt.Sprint(len(want)) {
			t.Errorf("%s: got %v, want %q", target, a, want)
		}
	}
	bare := open(t, root, nil)
	if a, b := get(t, site, "/"), get(t, bare, "/"); a.fields["ETag"] == b.fields["ETag"] {
		t.Errorf("tag: %s with and without the script", a.fields["ETag"])
	}
}

func TestConfigFaultsAreAllReported(t *testing.T) {
	config := core.Defaults()
	config.CacheBytes = -1
	config.Index = "a/b"
	config.Fallback = "../x"
	config.ErrorPages = map[int]string{200: "x"}
	config.Clock = nil
	config.Headers = []core.HeaderRule{
		{Pattern: "[", Fields: []core.HeaderField{{Name: "A B", Value: "x"}, {Name: "X", Value: "a\r\nb"}, {Name: "content-length", Value: "1"}}},
	}
	_, err := core.Open(t.TempDir(), config)
	if err == nil {
		t.Fatal("no error, want one")
	}
	for _, want := range []string{"negative bound", "clock", `index "a/b"`, `fallback "../x"`, `error page 200="x"`, `pattern "["`, `"A B"`, `a\r\nb`, `"content-length"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a word about %s", err, want)
		}
	}
}

func TestRootHasToBeADirectory(t *testing.T) {
	root := fixtures(t)
	for _, name := range []string{"hello.txt", "nothing"} {
		if site, err := core.Open(filepath.Join(root, name), core.Defaults()); err == nil {
			site.Close()
			t.Errorf("root %s: got no error, want one", name)
		}
	}
}
