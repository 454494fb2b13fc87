package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/server"
)

// TestFrontEndsAgree sends the same bytes to each front end and demands the
// same answer: status, fields and content.
func TestFrontEndsAgree(t *testing.T) {
	fronts := startFrontEnds(t, fixtures(t))
	tag := get(t, fronts[0].addr, "/hello.txt").header.Get("ETag")
	if tag == "" {
		t.Fatal("/hello.txt has no ETag")
	}
	const v = " HTTP/1.1\r\nHost: x\r\n"
	cases := []struct {
		raw    string
		status int
	}{
		{"GET /" + v + "\r\n", 200},
		{"GET /hello.txt" + v + "\r\n", 200},
		{"GET /hello.txt?a=b%zz" + v + "\r\n", 200},
		{"GET /empty.txt" + v + "\r\n", 200},
		{"GET /medium.txt" + v + "\r\n", 200},
		{"GET /medium.txt" + v + "Range: bytes=-40000\r\n\r\n", 206},
		{"GET /large.bin" + v + "\r\n", 200},
		{"GET /large.bin" + v + "Range: bytes=5-70000\r\n\r\n", 206},
		{"GET /docs/%C3%A9%20x.txt" + v + "\r\n", 200},
		{"GET /inside.txt" + v + "\r\n", 200},
		{"GET http://x/hello.txt HTTP/1.1\r\nHost: x\r\n\r\n", 200},
		{"GET /hello.txt HTTP/1.0\r\n\r\n", 200},
		{"HEAD /hello.txt" + v + "\r\n", 200},
		{"HEAD /large.bin" + v + "\r\n", 200},
		{"HEAD /missing" + v + "\r\n", 404},
		{"GET /app.js" + v + "Accept-Encoding: gzip\r\n\r\n", 200},
		{"GET /app.js" + v + "Accept-Encoding: gzip\r\nAccept-Encoding: br\r\n\r\n", 200},
		{"GET /app.js" + v + "accept-encoding:\t gzip;q=0.5 , *;q=0 \r\n\r\n", 200},
		{"GET /app.js" + v + "Accept-Encoding: identity;q=0\r\n\r\n", 406},
		{"GET /hello.txt" + v + "If-None-Match: " + tag + "\r\n\r\n", 304},
		{"GET /hello.txt" + v + "If-None-Match: \"x\"\r\nIf-None-Match: " + tag + "\r\n\r\n", 304},
		{"HEAD /hello.txt" + v + "If-None-Match: " + tag + "\r\n\r\n", 304},
		{"GET /hello.txt" + v + "If-Modified-Since: Fri, 01 Mar 2024 12:00:00 GMT\r\n\r\n", 304},
		{"GET /hello.txt" + v + "If-Match: \"x\"\r\n\r\n", 412},
		{"GET /hello.txt" + v + "If-Unmodified-Since: Fri, 01 Mar 2023 12:00:00 GMT\r\n\r\n", 412},
		{"GET /hello.txt" + v + "Range: bytes=0-4\r\n\r\n", 206},
		{"GET /hello.txt" + v + "Range: bytes=0-4\r\nIf-Range: \"x\"\r\n\r\n", 200},
		{"GET /hello.txt" + v + "Range: bytes=99-\r\n\r\n", 416},
		{"GET /hello.txt" + v + "Range: bytes=0-0\r\nRange: bytes=1-1\r\n\r\n", 200},
		{"GET /docs?q=1" + v + "\r\n", 301},
		{"GET //docs" + v + "\r\n", 301},
		{"GET /hello.txt/" + v + "\r\n", 301},
		{"GET /missing" + v + "\r\n", 404},
		{"GET /..%2fsecret" + v + "\r\n", 404},
		{"GET /../secret" + v + "\r\n", 400},
		{"GET /%00" + v + "\r\n", 400},
		{"GET /a|b^c`{d}" + v + "\r\n", 404},
		{"GET /caf\xc3\xa9" + v + "\r\n", 404},
		{"GET /\xff\xfe" + v + "\r\n", 404},
		{"OPTIONS *" + v + "\r\n", 204},
		{"OPTIONS /hello.txt" + v + "\r\n", 204},
		{"DELETE /hello.txt" + v + "\r\n", 405},
		{"BREW /hello.txt" + v + "\r\n", 405},
		{"POST /hello.txt" + v + "Content-Length: 3\r\n\r\nabc", 405},
		{"POST /hello.txt" + v + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 405},
	}
	for _, c := range cases {
		var answers []reply
		for _, f := range fronts {
			r, err := exchangeRaw(t, f.addr, c.raw)
			if err != nil || r.status != c.status {
				t.Errorf("%s: %q: got %v, %v, want %d", f.name, c.raw, r, err, c.status)
			}
			if ends := strings.Contains(c.raw, "HTTP/1.0"); !strings.HasPrefix(c.raw, "POST") && r.closed != ends {
				t.Errorf("%s: %q: connection closed: got %v, want %v", f.name, c.raw, r.closed, ends)
			}
			if strings.Contains(fmt.Sprint(r.header)+r.body, canary) {
				t.Errorf("%s: %q: the canary got out", f.name, c.raw)
			}
			answers = append(answers, r)
		}
		for i, a := range answers[1:] {
			first := answers[0]
			if a.status != first.status || fmt.Sprint(a.header) != fmt.Sprint(first.header) || a.body != first.body {
				t.Errorf("%q:\n%s gave %v\n%s gave %v", c.raw, fronts[0].name, first, fronts[i+1].name, a)
			}
		}
	}
}

// TestAmbiguousFramingIsRefused sends what two readers could read as
// different requests. None may be answered with content, and nothing behind
// it may be read as a request of its own. RFC 9112 §5.2 lets a server unfold
// obs-fold and §6.1 prefer the coding to the length, which net/http does.
func TestAmbiguousFramingIsRefused(t *testing.T) {
	fronts := startFrontEnds(t, fixtures(t))
	const smuggled = "GET /hello.txt HTTP/1.1\r\nHost: x\r\n\r\n"
	const v = " HTTP/1.1\r\nHost: x\r\n"
	cases := map[string]string{
		"both lengths":            "POST /" + v + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
		"two lengths":             "POST /" + v + "Content-Length: 0\r\nContent-Length: 40\r\n\r\n" + smuggled,
		"length list":             "POST /" + v + "Content-Length: 0, 40\r\n\r\n" + smuggled,
		"signed length":           "POST /" + v + "Content-Length: +0\r\n\r\n" + smuggled,
		"negative length":         "POST /" + v + "Content-Length: -1\r\n\r\n" + smuggled,
		"hexadecimal length":      "POST /" + v + "Content-Length: 0x0\r\n\r\n" + smuggled,
		"length too great":        "POST /" + v + "Content-Length: 99999999999999999999\r\n\r\n" + smuggled,
		"bad chunk size":          "POST /" + v + "Transfer-Encoding: chunked\r\n\r\n0x\r\n\r\n" + smuggled,
		"negative chunk":          "POST /" + v + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n" + smuggled,
		"unknown coding":          "POST /" + v + "Transfer-Encoding: cow\r\n\r\n" + smuggled,
		"identity coding":         "POST /" + v + "Transfer-Encoding: identity\r\n\r\n" + smuggled,
		"chunked twice":           "POST /" + v + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" + smuggled,
		"chunked not last":        "POST /" + v + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n" + smuggled,
		"coding in HTTP/1.0":      "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
		"space before colon":      "GET /" + v + "Content-Length : 5\r\n\r\n" + smuggled,
		"obs-fold":                "GET /" + v + "X: a\r\n b\r\n\r\n" + smuggled,
		"obs-fold in first field": "GET / HTTP/1.1\r\n X: a\r\nHost: x\r\n\r\n" + smuggled,
		"NUL in value":            "GET /" + v + "X: a\x00b\r\n\r\n" + smuggled,
		"bare CR in value":        "GET /" + v + "X: a\rContent-Length: 40\r\n\r\n" + smuggled,
		"space in name":           "GET /" + v + "X Y: a\r\n\r\n" + smuggled,
		"empty name":              "GET /" + v + ": a\r\n\r\n" + smuggled,
		"no colon":                "GET /" + v + "X\r\n\r\n" + smuggled,
		"no host":                 "GET / HTTP/1.1\r\n\r\n" + smuggled,
		"two hosts":               "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n" + smuggled,
		"no version":              "GET /\r\nHost: x\r\n\r\n" + smuggled,
		"bad version":             "GET / HTTP/1.x\r\nHost: x\r\n\r\n" + smuggled,
		"version 2":               "GET / HTTP/2.0\r\nHost: x\r\n\r\n" + smuggled,
		"lower-case version":      "GET / http/1.1\r\nHost: x\r\n\r\n" + smuggled,
		"bad method":              "G\"T /" + v + "\r\n" + smuggled,
	}
	for name, raw := range cases {
		for _, f := range fronts {
			r, err := exchangeRaw(t, f.addr, raw)
			if f.name == "net/http" && (name == "obs-fold" || name == "both lengths") {
				continue
			}
			if err == nil && (r.status < 400 || !r.closed) {
				t.Errorf("%s: %s: got %v, want a refusal and the end", f.name, name, r)
			}
		}
	}
}

// TestPipelining sends several requests at once; the answers come in order.
func TestPipelining(t *testing.T) {
	for _, f := range startFrontEnds(t, fixtures(t)) {
		raw := ""
		for range 20 {
			raw += "GET /hello.txt HTTP/1.1\r\nHost: x\r\n\r\nGET /large.bin HTTP/1.1\r\nHost: x\r\nRange: bytes=0-3\r\n\r\n"
		}
		for _, r := range exchangeMany(t, f.addr, raw, 40) {
			if r.body != "hello, world" && r.body != "0123" {
				t.Errorf("%s: got %v", f.name, r)
			}
		}
	}
}

func TestTooLargeHead(t *testing.T) {
	limits := server.DefaultLimits()
	limits.HeaderBytes = 2048
	for _, f := range own(startFrontEnds(t, fixtures(t), server.WithLimits(limits))) {
		r, err := exchangeRaw(t, f.addr, "GET / HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", 4000)+"\r\n\r\n")
		if err != nil || r.status != 431 || !r.closed {
			t.Errorf("%s: head of 4,000 bytes: got %v, %v, want 431 and the end", f.name, r, err)
		}
		if r := get(t, f.addr, "/hello.txt", "X: "+strings.Repeat("x", 1000)); r.status != 200 {
			t.Errorf("%s: head of 1,000 bytes: got %v, want 200", f.name, r)
		}
	}
}
