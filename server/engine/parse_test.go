package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/server/engine"
)

const limit = 2 << 10

// outcome is what a reader makes of the beginning of buf.
type outcome struct {
	status                 int // of the refusal; 0 if there is none
	complete               bool
	n                      int // bytes of head and content
	method, target, fields string
	keepAlive              bool
	content                int64
}

// read reads one request with its content, the bytes up to each of cuts at a
// time. It stops where the reader does not want to see more.
func read(buf []byte, cuts ...int) outcome {
	var r engine.Request
	for _, cut := range append(cuts, len(buf)) {
		n, err := engine.Parse(&r, buf[:cut], limit)
		if err == engine.ErrIncomplete {
			continue
		}
		o := outcome{n: n, method: r.Method, target: r.Target, fields: string(r.Fields), keepAlive: r.KeepAlive}
		var body engine.Body
		if err == nil {
			body, err = engine.NewBody(&r, 4096)
		}
		for _, cut := range append(cuts, len(buf)) {
			if err == nil && cut > o.n {
				var more int
				more, err = body.Skip(buf[o.n:cut])
				o.n += more
				o.content += int64(more)
			}
		}
		if err != nil {
			return outcome{status: statusOf(err)}
		}
		o.complete = body.Done()
		return o
	}
	return outcome{}
}

func statusOf(err error) int {
	var refusal *engine.Refusal
	if !errors.As(err, &refusal) {
		panic(fmt.Sprintf("got %v, want a refusal", err))
	}
	return refusal.Status
}

const (
	get  = "GET / HTTP/1.1\r\nHost: x\r\n"
	post = "POST / HTTP/1.1\r\nHost: x\r\n"
)

// refused has requests, and with which status they are refused.
var refused = []struct {
	name, raw string
	status    int
}{
	{"empty method", " / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"bad method", "G\"T / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"tab behind method", "GET\t/ HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"two spaces", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"space in target", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"space behind version", "GET / HTTP/1.1 \r\nHost: x\r\n\r\n", 400},
	{"tab in target", "GET /\ta HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"NUL in target", "GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"DEL in target", "GET /\x7f HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"relative target", "GET a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"asterisk with GET", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"authority with GET", "GET x:80 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"path with CONNECT", "CONNECT /a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"other scheme", "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"absolute form without authority", "GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"absolute form with user", "GET http://u@x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"absolute form with bad port", "GET http://x:8o/ HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"half an escape", "GET /%2 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"no escape", "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"no version", "GET /\r\nHost: x\r\n\r\n", 400},
	{"lower-case version", "GET / http/1.1\r\nHost: x\r\n\r\n", 400},
	{"long version", "GET / HTTP/1.10\r\nHost: x\r\n\r\n", 400},
	{"letter in version", "GET / HTTP/1.x\r\nHost: x\r\n\r\n", 400},
	{"version 2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400}, // the target goes first
	{"version 2 with a path", "GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505},
	{"version 0.9", "GET / HTTP/0.9\r\n\r\n", 505},
	{"LF behind request line", "GET / HTTP/1.1\nHost: x\r\n\r\n", 400},
	{"LF behind field", "GET / HTTP/1.1\r\nHost: x\n\r\n", 400},
	{"LF for the empty line", get + "\n", 400},
	{"CR in request line", "GET / HTTP/1.1\rHost: x\r\n\r\n", 400},
	{"CR in value", get + "X: a\rContent-Length: 40\r\n\r\n", 400},
	{"CR for the empty line", get + "\rX: a\r\n\r\n", 400},
	{"LF before request line", "\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"two empty lines before request line", "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"obs-fold", get + "X: a\r\n b\r\n\r\n", 400},
	{"obs-fold in first field", "GET / HTTP/1.1\r\n X: a\r\nHost: x\r\n\r\n", 400},
	{"space before colon", get + "Content-Length : 5\r\n\r\n", 400},
	{"space in name", get + "X Y: a\r\n\r\n", 400},
	{"empty name", get + ": a\r\n\r\n", 400},
	{"no colon", get + "X\r\n\r\n", 400},
	{"non-ASCII name", get + "X\xe9: a\r\n\r\n", 400},
	{"NUL in value", get + "X: a\x00b\r\n\r\n", 400},
	{"DEL in value", get + "X: a\x7fb\r\n\r\n", 400},
	{"vertical tab in value", get + "X: a\vb\r\n\r\n", 400},
	{"no host", "GET / HTTP/1.1\r\n\r\n", 400},
	{"two hosts", get + "Host: x\r\n\r\n", 400},
	{"two hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", 400},
	{"host with slash", "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", 400},
	{"host list", "GET / HTTP/1.1\r\nHost: x y\r\n\r\n", 400},
	{"host with user", "GET / HTTP/1.1\r\nHost: u@x\r\n\r\n", 400},
	{"host of a port only", "GET / HTTP/1.1\r\nHost: :80\r\n\r\n", 400},
	{"host with two ports", "GET / HTTP/1.1\r\nHost: x:1:2\r\n\r\n", 400},
	{"host with half an address", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400},
	{"both lengths", post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
	{"both lengths, coding first", post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n", 400},
	{"two lengths", post + "Content-Length: 0\r\nContent-Length: 40\r\n\r\n", 400},
	{"two equal lengths", post + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n", 400},
	{"length list", post + "Content-Length: 0, 40\r\n\r\n", 400},
	{"signed length", post + "Content-Length: +0\r\n\r\n", 400},
	{"negative length", post + "Content-Length: -1\r\n\r\n", 400},
	{"hexadecimal length", post + "Content-Length: 0x0\r\n\r\n", 400},
	{"empty length", post + "Content-Length: \r\n\r\n", 400},
	{"length with underscore", post + "Content-Length: 1_0\r\n\r\n", 400},
	{"length too great", post + "Content-Length: 99999999999999999999\r\n\r\n", 400},
	{"content too long", post + "Content-Length: 4097\r\n\r\n", 413},
	{"coding in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
	{"unknown coding", post + "Transfer-Encoding: cow\r\n\r\n", 501},
	{"identity coding", post + "Transfer-Encoding: identity\r\n\r\n", 501},
	{"chunked twice", post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 501},
	{"chunked not last", post + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", 501},
	{"gzip, chunked", post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
	{"quoted coding", post + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n", 501},
	{"empty coding", post + "Transfer-Encoding:\r\n\r\n", 501},
	{"coding on two lines", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
	{"vertical tab before coding", post + "Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n", 400},
	{"other expectation", post + "Expect: 200-ok\r\n\r\n", 417},
	{"no chunk size", chunked + "\r\n\r\n", 400},
	{"chunk size with x", chunked + "0x1\r\na\r\n0\r\n\r\n", 400},
	{"negative chunk", chunked + "-1\r\n\r\n", 400},
	{"signed chunk", chunked + "+1\r\na\r\n0\r\n\r\n", 400},
	{"space before chunk size", chunked + " 1\r\na\r\n0\r\n\r\n", 400},
	{"space behind chunk size", chunked + "1 \r\na\r\n0\r\n\r\n", 400},
	{"LF behind chunk size", chunked + "1\na\r\n0\r\n\r\n", 400},
	{"CR behind chunk size", chunked + "1\ra\r\n0\r\n\r\n", 400},
	{"LF in extension", chunked + "1;x\n=y\r\na\r\n0\r\n\r\n", 400},
	{"NUL in extension", chunked + "1;\x00\r\na\r\n0\r\n\r\n", 400},
	{"extension without size", chunked + ";x\r\n\r\n", 400},
	{"long extension", chunked + "1;" + strings.Repeat("x", 3000) + "\r\na\r\n0\r\n\r\n", 413},
	{"chunk longer than its size", chunked + "1\r\nab\r\n0\r\n\r\n", 400},
	{"chunk shorter than its size", chunked + "3\r\na\r\n0\r\n\r\n", 400},
	{"LF behind chunk", chunked + "1\r\na\n0\r\n\r\n", 400},
	{"chunk size too great", chunked + "fffffffffffffff1\r\n", 413},
	{"chunk size of many digits", chunked + strings.Repeat("0", 17) + "\r\n\r\n", 400},
	{"chunks too long in all", chunked + strings.Repeat("100\r\n"+strings.Repeat("x", 256)+"\r\n", 17), 413},
	{"folded trailer", chunked + "0\r\n a: b\r\n\r\n", 400},
	{"trailer without colon", chunked + "0\r\na\r\n\r\n", 400},
	{"trailer with space before colon", chunked + "0\r\na : b\r\n\r\n", 400},
	{"LF in trailer", chunked + "0\r\na: b\n\r\n", 400},
	{"LF behind trailer", chunked + "0\r\na: b\r\n\n", 400},
	{"CR behind trailer", chunked + "0\r\n\rX", 400},
	{"long request line", "GET /" + strings.Repeat("a", limit), 414},
	{"long head", get + "X: " + strings.Repeat("a", limit), 431},
	{"many fields", get + strings.Repeat("X: a\r\n", limit/6), 431},
}

const chunked = post + "Transfer-Encoding: chunked\r\n\r\n"

func TestParseRefuses(t *testing.T) {
	for _, c := range refused {
		if o := read([]byte(c.raw)); o.status != c.status {
			t.Errorf("%s: got %+v, want the status %d", c.name, o, c.status)
		}
	}
}

// served has requests with what is read of them.
var served = []struct {
	name, raw, target string
	keepAlive         bool
	content           int64 // bytes behind the head
}{
	{"plain", get + "\r\n", "/", true, 0},
	{"one empty line before it", "\r\n" + get + "\r\n", "/", true, 0},
	{"odd bytes in target", "GET /a|b^c`{d}\xff?%zz HTTP/1.1\r\nHost: x\r\n\r\n", "/a|b^c`{d}\xff?%zz", true, 0},
	{"escapes", "GET /%c3%A9 HTTP/1.1\r\nHost: x\r\n\r\n", "/%c3%A9", true, 0},
	{"double slash", "GET //a//b HTTP/1.1\r\nHost: x\r\n\r\n", "//a//b", true, 0},
	{"absolute form", "GET HTTP://y:80/a?b HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP://y:80/a?b", true, 0},
	{"absolute form without path", "GET https://y HTTP/1.1\r\nHost: x\r\n\r\n", "https://y", true, 0},
	{"asterisk", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "*", true, 0},
	{"authority", "CONNECT y:443 HTTP/1.1\r\nHost: x\r\n\r\n", "y:443", true, 0},
	{"host of an address", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "/", true, 0},
	{"host of a name", "GET / HTTP/1.1\r\nhost:\t a-b_c.example:8080 \r\n\r\n", "/", true, 0},
	{"empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "/", true, 0},
	{"empty value", get + "X:\r\nY: \t \r\n\r\n", "/", true, 0},
	{"value in UTF-8", get + "X: é\tz\r\n\r\n", "/", true, 0},
	{"HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "/", false, 0},
	{"HTTP/1.0 kept alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "/", true, 0},
	{"close", get + "Connection: close\r\n\r\n", "/", false, 0},
	{"close in a list", get + "Connection: te , CLOSE\r\n\r\n", "/", false, 0},
	{"close and keep-alive", get + "Connection: close\r\nConnection: keep-alive\r\n\r\n", "/", false, 0},
	{"length of nothing", post + "Content-Length: 0\r\n\r\n", "/", true, 0},
	{"length with zeros", post + "Content-Length: 003\r\n\r\nabc", "/", true, 3},
	{"chunks", post + "Transfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0A;a=\"b\"\r\n0123456789\r\n0\r\n\r\n", "/", true, 35},
	{"last chunk of zeros", chunked + "000\r\n\r\n", "/", true, 7},
	{"trailer", chunked + "0;x\r\nA: b\r\nC:\r\n\r\n", "/", true, 17},
	{"expectation", post + "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\na", "/", true, 1},
	{"longest head", get + "X: " + strings.Repeat("a", limit-len(get)-len("X: \r\n\r\n")) + "\r\n\r\n", "/", true, 0},
}

func TestParseServes(t *testing.T) {
	for _, c := range served {
		o := read([]byte(c.raw))
		if o.status != 0 || !o.complete || o.n != len(c.raw) {
			t.Errorf("%s: got %+v, want all of %d bytes", c.name, o, len(c.raw))
		}
		if o.target != c.target || o.keepAlive != c.keepAlive || o.content != c.content {
			t.Errorf("%s: got target %q, keep-alive %v, content of %d bytes, want %q, %v, %d",
				c.name, o.target, o.keepAlive, o.content, c.target, c.keepAlive, c.content)
		}
		if more := read([]byte(c.raw + "GET")); more != o {
			t.Errorf("%s: with more bytes behind it: got %+v, want %+v", c.name, more, o)
		}
	}
}

// TestParseInPieces cuts each request at every byte, and sends it byte by byte.
func TestParseInPieces(t *testing.T) {
	check := func(name, raw string) {
		whole := read([]byte(raw))
		all := make([]int, len(raw))
		for i := range raw {
			all[i] = i
			if o := read([]byte(raw), i); o != whole {
				t.Fatalf("%s: cut at %d: got %+v, want %+v", name, i, o, whole)
			}
		}
		if o := read([]byte(raw), all...); o != whole {
			t.Errorf("%s: byte by byte: got %+v, want %+v", name, o, whole)
		}
	}
	for _, c := range refused {
		check(c.name, c.raw)
	}
	for _, c := range served {
		check(c.name, c.raw)
	}
}

func TestParseTakesFields(t *testing.T) {
	raw := "GET /a HTTP/1.1\r\nhost: y:1\r\naccept: a\r\nACCEPT-encoding: b\r\nif-match: c\r\nif-range: d\r\nif-none-match: e\r\n" +
		"if-modified-since: f\r\nif-unmodified-since: g\r\nrange: h\r\nsec-fetch-dest: i\r\nx-range: no\r\nrangx: no\r\n" +
		"If-Rangs: no\r\nAccept: j\r\naccept-encoding:\r\nRange: k\r\n\r\n"
	var r engine.Request
	if _, err := engine.Parse(&r, []byte(raw), limit); err != nil {
		t.Fatal(err)
	}
	got := []string{r.Host, r.Accept, r.AcceptEncoding, r.IfMatch, r.IfRange, r.IfNoneMatch, r.IfModifiedSince,
		r.IfUnmodifiedSince, r.Range, r.SecFetchDest}
	want := []string{"y:1", "a, j", "b, ", "c", "d", "e", "f", "g", "h, k", "i"}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	raw := []byte("GET /a HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: a, keep-alive\r\nRange: bytes=1-\r\n" +
		"Content-Length: 3\r\n\r\nabc")
	bad := []byte(get + "X : y\r\n\r\n")
	var r engine.Request
	allocs := testing.AllocsPerRun(100, func() {
		n, _ := engine.Parse(&r, raw, limit)
		body, _ := engine.NewBody(&r, 4096)
		body.Skip(raw[n:])
		engine.Parse(&r, bad, limit)
	})
	if allocs != 0 {
		t.Errorf("got %v allocations, want 0", allocs)
	}
}
