package urlpath

import (
	"errors"
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	cases := []struct {
		raw       string
		canonical string
		file      string
		err       error
	}{
		{"/", "/", "index.html", nil},
		{"/a", "/a", "a", nil},
		{"/a/b.txt", "/a/b.txt", "a/b.txt", nil},
		{"/a/", "/a/", "a/index.html", nil},
		{"/a%20b", "/a b", "a b", nil},
		{"/%61", "/a", "a", nil},
		{"/a+b;c=1,2", "/a+b;c=1,2", "a+b;c=1,2", nil},
		{"/caf%c3%A9", "/café", "café", nil},
		{"/%25%32%65", "/%2e", "%2e", nil}, // decoded once
		{"/a..b/c.", "/a..b/c.", "a..b/c.", nil},
		{"/a%3Fb", "/a?b", "a?b", nil},
		{"//", "/", "index.html", ErrEmptySegment},
		{"//evil.example/a", "/evil.example/a", "evil.example/a", ErrEmptySegment},
		{"/a//b///", "/a/b/", "a/b/index.html", ErrEmptySegment},

		{"", "", "", ErrMalformed},
		{"a", "", "", ErrMalformed},
		{"*", "", "", ErrMalformed},
		{"/%", "", "", ErrMalformed},
		{"/%2", "", "", ErrMalformed},
		{"/%zz", "", "", ErrMalformed},
		{"/%u002e", "", "", ErrMalformed},
		{"/a%00.txt", "", "", ErrMalformed},
		{"/a\x00", "", "", ErrMalformed},
		{"/a%0d%0aX:y", "", "", ErrMalformed},
		{"/a b", "", "", ErrMalformed},
		{"/a\\..\\b", "", "", ErrMalformed},
		{"/a#b", "", "", ErrMalformed},

		{"/..", "", "", ErrDotSegment},
		{"/../etc/passwd", "", "", ErrDotSegment},
		{"/a/./b", "", "", ErrDotSegment},
		{"/a/.", "", "", ErrDotSegment},
		{"/a/%2e%2E/b", "", "", ErrDotSegment},
		{"/a/.%2e", "", "", ErrDotSegment},
		{"//..//", "", "", ErrDotSegment},

		{"/a%2Fb", "", "", ErrNoName},
		{"/..%2f..%2fetc", "", "", ErrNoName},
		{"/a%5cb", "", "", ErrNoName},
		{"/..%5c", "", "", ErrNoName},

		{"/.git/config", "", "", ErrHidden},
		{"/a/.env", "", "", ErrHidden},
		{"/%2egit", "", "", ErrHidden},
		{"/..;/b", "", "", ErrHidden},
		{"/...", "", "", ErrHidden},
	}
	for _, c := range cases {
		p, err := Rules{Index: "index.html"}.Resolve(nil, c.raw)
		if !errors.Is(err, c.err) || string(p.Canonical) != c.canonical || string(p.File) != c.file {
			t.Errorf("%q: got %q, %q, %v, want %q, %q, %v", c.raw, p.Canonical, p.File, err, c.canonical, c.file, c.err)
		}
	}
}

func TestDotfilesLetsNamesThrough(t *testing.T) {
	rules := Rules{Index: "index.html", Dotfiles: true}
	if p, err := rules.Resolve(nil, "/.well-known/x"); err != nil || string(p.File) != ".well-known/x" {
		t.Errorf("/.well-known/x: got %q and %v, want it and no error", p.File, err)
	}
	for _, raw := range []string{"/..", "/.", "/%2e%2e/x"} {
		if _, err := rules.Resolve(nil, raw); !errors.Is(err, ErrDotSegment) {
			t.Errorf("%q: got %v, want %v", raw, err, ErrDotSegment)
		}
	}
}

// FuzzResolve demands of every path that it names nothing outside, and that
// what was resolved resolves to itself once it is escaped.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{"/", "/a/b", "/%2e%2e/", "//a", "/a%20b/", "/.git", "/%c0%ae/", "/a;b", "/%25%2e"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, raw string, dotfiles bool) {
		rules := Rules{Index: "index.html", Dotfiles: dotfiles}
		p, err := rules.Resolve(nil, raw)
		if err != nil && !errors.Is(err, ErrEmptySegment) {
			return
		}
		name := string(p.File)
		if strings.HasPrefix(name, "/") || strings.ContainsAny(name, "\x00\\\r\n") {
			t.Fatalf("%q: got the name %q", raw, name)
		}
		for _, segment := range strings.Split(name, "/") {
			if segment == "" || segment == "." || segment == ".." || !dotfiles && segment[0] == '.' {
				t.Fatalf("%q: got the name %q with the segment %q", raw, name, segment)
			}
		}
		escaped := string(Escape(nil, p.Canonical))
		again, err := rules.Resolve(nil, escaped)
		if err != nil || string(again.Canonical) != string(p.Canonical) {
			t.Fatalf("%q: resolved to %q, its escaped form %q to %q, %v", raw, p.Canonical, escaped, again.Canonical, err)
		}
		if strings.HasPrefix(escaped, "//") {
			t.Fatalf("%q: escaped %q names a host", raw, escaped)
		}
	})
}
