package engine_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"testing"
)

// FuzzParse demands of any bytes that net/http reads what is accepted as the
// same request, of the same length, and that it does not matter where they are
// cut in two.
func FuzzParse(f *testing.F) {
	for _, c := range refused {
		f.Add([]byte(c.raw), uint16(len(c.raw)/2))
	}
	for _, c := range served {
		f.Add([]byte(c.raw+"GET / HTTP/1.1\r\n"), uint16(len(c.raw)-1))
	}
	f.Fuzz(func(t *testing.T, raw []byte, cut uint16) {
		whole := read(raw)
		if o := read(raw, int(cut)%(len(raw)+1)); o != whole {
			t.Errorf("in one piece %+v, in two %+v", whole, o)
		}
		if whole.complete {
			compare(t, raw, whole)
		}
	})
}

// FuzzBody does the same with what follows a head that announces chunks.
func FuzzBody(f *testing.F) {
	for _, c := range refused {
		if rest, ok := strings.CutPrefix(c.raw, chunked); ok {
			f.Add([]byte(rest), uint16(len(rest)/2))
		}
	}
	f.Add([]byte("3;a=\"b\"\r\nabc\r\n00\r\nA: b\r\n\r\nGET"), uint16(3))
	f.Fuzz(func(t *testing.T, rest []byte, cut uint16) {
		raw := append([]byte(chunked), rest...)
		whole := read(raw)
		if o := read(raw, len(chunked)+int(cut)%(len(rest)+1)); o != whole {
			t.Errorf("in one piece %+v, in two %+v", whole, o)
		}
		if whole.complete {
			compare(t, raw, whole)
		}
	})
}

// compare has net/http read what o was made of.
func compare(t *testing.T, raw []byte, o outcome) {
	// net/http's reader knows no empty line before a request.
	trimmed := bytes.TrimPrefix(raw, []byte("\r\n"))
	in := bufio.NewReader(bytes.NewReader(trimmed))
	r, err := http.ReadRequest(in)
	if strings.Contains(strings.ToLower(o.fields), "trailer:") {
		return // net/http refuses some of the names that it announces
	}
	if err != nil {
		t.Fatalf("net/http: %v; got %+v", err, o)
	}
	length := r.ContentLength
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		t.Fatalf("net/http: content: %v; got %+v", err, o)
	}
	left, _ := io.Copy(io.Discard, in)
	if n := int(left) + o.n; n != len(raw) {
		t.Errorf("got a request of %d bytes, net/http leaves %d of %d", o.n, left, len(raw))
	}
	if r.Method != o.method || r.RequestURI != o.target || length >= 0 && length != o.content {
		t.Errorf("got %+v, net/http %s %q with %d bytes", o, r.Method, r.RequestURI, length)
	}
	if r.Close == o.keepAlive {
		t.Errorf("keep alive: got %v, net/http %v", o.keepAlive, !r.Close)
	}
	compareFields(t, r, o.fields)
}

// compareFields compares the lines with net/http's map, from which it takes
// out what it acts on, and into which it puts a field for caches.
func compareFields(t *testing.T, r *http.Request, lines string) {
	got := http.Header{}
	for line := range strings.SplitSeq(lines, "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			name = textproto.CanonicalMIMEHeaderKey(name)
			got[name] = append(got[name], strings.Trim(value, " \t"))
		}
	}
	if host := got.Get("Host"); r.URL.Host == "" && r.Host != host {
		t.Errorf("host: got %q, net/http %q", host, r.Host)
	}
	for _, name := range []string{"Host", "Transfer-Encoding", "Content-Length", "Cache-Control"} {
		delete(got, name)
		delete(r.Header, name)
	}
	for name, values := range got {
		if !slices.Equal(values, r.Header[name]) {
			t.Errorf("%s: got %q, net/http %q", name, values, r.Header[name])
		}
	}
	if len(got) != len(r.Header) {
		t.Errorf("got fields %v, net/http %v", got, r.Header)
	}
}
