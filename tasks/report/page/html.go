package page

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
)

// most is how large a page with flame graphs becomes, in bytes: it loads at once on a
// slow line. Those that do not fit are linked to.
const most = 480_000

//go:embed assets
var assets embed.FS

// view is what the template shows.
type view struct {
	Report          Report
	Written, Commit string
	Sections        []section
	// Flames holds flame graphs by their key: gzip, in base64.
	Flames map[string]string
	Style  template.CSS
	Script template.JS
	Policy string
}

// HTML writes the report as one page that needs no other file and no network.
func (r Report) HTML(w io.Writer) error {
	v, err := newView(r)
	if err != nil {
		return err
	}
	t, err := template.ParseFS(assets, "assets/page.html")
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, "page.html", v); err != nil {
		return err
	}
	if v.Flames, err = r.flames(most - out.Len()); err != nil {
		return err
	}
	if len(v.Flames) > 0 {
		out.Reset()
		if err := t.ExecuteTemplate(&out, "page.html", v); err != nil {
			return err
		}
	}
	_, err = w.Write(out.Bytes())
	return err
}

func newView(r Report) (view, error) {
	style, err := assets.ReadFile("assets/page.css")
	if err != nil {
		return view{}, err
	}
	script, err := assets.ReadFile("assets/page.js")
	if err != nil {
		return view{}, err
	}
	return view{
		Report: r, Written: date(r.Written), Commit: commit(r.Commit, r.Dirty), Sections: r.sections(),
		Flames: map[string]string{}, Style: template.CSS(style), Script: template.JS(script),
		// Nothing is loaded, and nothing runs but these two (Content Security Policy Level
		// 3, section 2.3.1): neither a bench's name nor a flame graph can change that.
		Policy: fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
			hash(style), hash(script)),
	}, nil
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// flames packs flame graphs into a number of bytes, those first that matter more: of
// benches that are not within their budget, then of those that cost more.
func (r Report) flames(room int) (map[string]string, error) {
	packed := map[string]string{}
	if r.Counts.Data == nil {
		return packed, nil
	}
	benches := r.Counts.Data.Benches
	order := make([]int, len(benches))
	for at := range order {
		order[at] = at
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := benches[a], benches[b]
		return cmp.Or(
			cmp.Compare(slices.Index(kinds(), x.Verdict), slices.Index(kinds(), y.Verdict)),
			cmp.Compare(total(y), total(x)),
		)
	})
	for _, at := range order {
		svg := benches[at].FlameSVG
		if len(svg) == 0 {
			continue
		}
		text, err := pack(svg)
		if err != nil {
			return nil, err
		}
		key := strconv.Itoa(at)
		// What JSON puts around both.
		if need := len(text) + len(key) + len(`"":"",`); need <= room {
			room -= need
			packed[key] = text
		}
	}
	return packed, nil
}

func total(b Bench) int64 {
	if b.Total == nil {
		return 0
	}
	return *b.Total
}

func pack(svg []byte) (string, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(svg); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(out.Bytes()), nil
}

// Class is that of the column's cells: numbers stand to the right.
func (c column) Class() string {
	switch {
	case c.Chart:
		return "c"
	case c.Number:
		return "n"
	}
	return ""
}

// Pieces are what a name is of, up to each slash but the last: a long one is broken
// between them.
func (c cell) Pieces() []string {
	pieces := strings.SplitAfter(c.Text, "/")
	return pieces[:len(pieces)-1]
}

// LastPiece is what is left of the name.
func (c cell) LastPiece() string {
	return c.Text[strings.LastIndexByte(c.Text, '/')+1:]
}
