package server

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"unsafe"

	"github.com/perfpin/perfpin/server/core"

	"github.com/valyala/fasthttp"
)

var errNotStrict = errors.New("request does not follow RFC 9112")

// isStrict tells what fasthttp reads but RFC 9112 forbids: another version
// than HTTP/1.0 and 1.1 (§2.3), no Host (§3.2), a field line that
// is folded or has no token for its name (§5), a transfer coding other than
// chunked (§6.1).
func isStrict(h *fasthttp.RequestHeader) bool {
	proto := view(h.Protocol())
	if proto != "HTTP/1.1" && proto != "HTTP/1.0" {
		return false
	}
	named := false
	for line := range bytes.SplitSeq(h.RawHeaders(), []byte("\n")) {
		line, ended := bytes.CutSuffix(line, []byte("\r"))
		if len(line) == 0 {
			continue
		}
		name, value, ok := strings.Cut(view(line), ":")
		if !ok || !ended || name == "" || strings.ContainsAny(name, " \t") {
			return false
		}
		switch {
		case strings.EqualFold(name, "Host"):
			named = true
		case strings.EqualFold(name, "Transfer-Encoding"):
			if !strings.EqualFold(strings.Trim(value, " \t"), "chunked") {
				return false
			}
		}
	}
	return named || proto == "HTTP/1.0"
}

// refuseFast answers what could not be read as a request.
func refuseFast(ctx *fasthttp.RequestCtx, err error) {
	status := fasthttp.StatusBadRequest
	var tooSmall *fasthttp.ErrSmallBuffer
	var network net.Error
	switch {
	case errors.As(err, &tooSmall):
		status = fasthttp.StatusRequestHeaderFieldsTooLarge
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		status = fasthttp.StatusRequestEntityTooLarge
	case errors.As(err, &network) && network.Timeout():
		status = fasthttp.StatusRequestTimeout
	}
	ctx.Error(fasthttp.StatusMessage(status)+"\n", status)
	ctx.SetConnectionClose()
}

// requestOfFast points into the connection's buffer, which is good until the
// handler returns.
func requestOfFast(h *fasthttp.RequestHeader) core.Request {
	field := func(name string) string {
		lines := h.PeekAll(name)
		if len(lines) == 1 {
			return view(lines[0])
		}
		var joined []string
		for _, line := range lines {
			joined = append(joined, view(line))
		}
		return strings.Join(joined, ", ")
	}
	return core.Request{
		Method:            view(h.Method()),
		Target:            view(h.RequestURI()),
		AcceptEncoding:    field("Accept-Encoding"),
		IfMatch:           field("If-Match"),
		IfNoneMatch:       field("If-None-Match"),
		IfModifiedSince:   field("If-Modified-Since"),
		IfUnmodifiedSince: field("If-Unmodified-Since"),
		IfRange:           field("If-Range"),
		Range:             field("Range"),
		Accept:            field("Accept"),
		SecFetchDest:      field("Sec-Fetch-Dest"),
	}
}

// view looks at b as a string, for as long as b stays as it is.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func parseLength(value []byte) (n int64) {
	for _, c := range value {
		n = n*10 + int64(c-'0')
	}
	return n
}
