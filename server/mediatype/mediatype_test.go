package mediatype

import "testing"

func TestByName(t *testing.T) {
	cases := map[string]string{
		"index.html":         "text/html; charset=utf-8",
		"a/b/INDEX.HTM":      "text/html; charset=utf-8",
		"app.min.js":         "text/javascript; charset=utf-8",
		"app.js.map":         "application/json",
		"logo.svg":           "image/svg+xml",
		"photo.JPeG":         "image/jpeg",
		"font.woff2":         "font/woff2",
		"film.mp4":           "video/mp4",
		"module.wasm":        "application/wasm",
		"app.js.gz":          "application/gzip",
		"x.webmanifest":      "application/manifest+json",
		"file":               Unknown,
		"file.":              Unknown,
		".html":              "text/html; charset=utf-8",
		"dir.html/file":      Unknown,
		"":                   Unknown,
		"x.\xff":             Unknown,
		"x.html ":            Unknown,
		"x.averylongsuffix!": Unknown,
	}

	for name, want := range cases {
		if got := ByName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	if got := testing.AllocsPerRun(100, func() { ByName("a/b.WEBMANIFEST") }); got != 0 {
		t.Errorf("got %v allocations, want none", got)
	}
}
