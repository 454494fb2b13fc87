package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"strings"
	"time"
	"unsafe"

	"github.com/perfpin/perfpin/server/core"
	"github.com/perfpin/perfpin/server/reload"

	"github.com/valyala/fasthttp"
)

// maxBodyBytes is what of a request body is read to be thrown away.
const maxBodyBytes = 64 << 10

func (s *Server) newFast() *fasthttp.Server {
	return &fasthttp.Server{
		Handler:                       s.serveFast,
		ErrorHandler:                  refuseFast,
		Logger:                        log.New(io.Discard, "", 0),
		ReadBufferSize:                s.limits.HeaderBytes,
		ReadTimeout:                   s.limits.ReadTimeout,
		IdleTimeout:                   s.limits.IdleTimeout,
		Concurrency:                   s.limits.Connections,
		MaxRequestBodySize:            maxBodyBytes,
		MaxIdleWorkerDuration:         time.Second,
		NoDefaultServerHeader:         true,
		NoDefaultContentType:          true,
		DisablePreParseMultipartForm:  true,
		CloseOnShutdown:               true,
		DisableHeaderNamesNormalizing: false,
	}
}

// ListenAndServe listens on the TCP address addr and serves until Shutdown.
func (s *Server) ListenAndServe(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return s.Serve(l)
}

// Serve serves the connections of l until Shutdown; then it returns nil. It
// closes l.
func (s *Server) Serve(l net.Listener) error {
	if !s.register(l) {
		return l.Close()
	}
	err := s.fast.Serve(&patientListener{Listener: l, timeout: s.limits.WriteTimeout})
	if s.isStopped() {
		return nil
	}
	return errors.Join(err, l.Close())
}

// register keeps l for Shutdown. It is false after one.
func (s *Server) register(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, l)
	return !s.stopped
}

func (s *Server) isStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// ServeOne accepts one connection, answers one request on it, and closes both
// it and l.
func (s *Server) ServeOne(l net.Listener) error {
	conn, err := l.Accept()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	s.fast.MaxRequestsPerConn = 1
	err = s.fast.ServeConn(&patientConn{Conn: conn, timeout: s.limits.WriteTimeout})
	return errors.Join(err, l.Close())
}

// Shutdown stops listening and waits for the answers under way, until ctx is
// done. A Serve that comes after it returns at once.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.stopped = true
	for _, l := range s.listeners {
		l.Close()
	}
	s.mu.Unlock()
	if s.reload != nil {
		s.reload.Close()
	}
	err := s.fast.ShutdownWithContext(ctx)
	if errors.Is(err, net.ErrClosed) {
		return nil // by the loop above
	}
	return err
}

var errNotStrict = errors.New("request does not follow RFC 9112")

// serveFast answers one request.
func (s *Server) serveFast(ctx *fasthttp.RequestCtx) {
	h := &ctx.Request.Header
	if !isStrict(h) {
		refuseFast(ctx, errNotStrict)
		return
	}
	const chunked = -1
	if n := h.ContentLength(); n > 0 || n == chunked {
		// Nothing that is served needs a body. Not reading on behind one
		// leaves no doubt where the next request begins.
		ctx.SetConnectionClose()
	}
	target := view(h.RequestURI())
	if path, _, _ := strings.Cut(target, "?"); s.reload != nil && path == reload.Path {
		s.streamFast(ctx)
		return
	}
	x := s.exchanges.Get().(*exchange)
	x.request = requestOfFast(h)
	s.site.Handle(&x.request, &x.response)
	s.log.write(ctx.RemoteAddr().String(), x.request.Method, target, view(h.Protocol()), x.response.Status, contentLength(&x.response))
	s.answerFast(ctx, x)
}

// isStrict tells what fasthttp reads but RFC 9112 forbids: another version
// than HTTP/1.0 and 1.1 (§2.3), no Host or several (§3.2), a field line that
// is folded or has no token for its name (§5), a transfer coding other than
// chunked, or one beside a length (§6.1).
func isStrict(h *fasthttp.RequestHeader) bool {
	proto := view(h.Protocol())
	if proto != "HTTP/1.1" && proto != "HTTP/1.0" {
		return false
	}
	hosts, codings, lengths := 0, 0, 0
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
			hosts++
		case strings.EqualFold(name, "Content-Length"):
			lengths++
		case strings.EqualFold(name, "Transfer-Encoding"):
			codings++
			if proto == "HTTP/1.0" || !strings.EqualFold(strings.Trim(value, " \t"), "chunked") {
				return false
			}
		}
	}
	return hosts <= 1 && (hosts == 1 || proto == "HTTP/1.0") && codings+lengths <= 1
}

// contentLength is what will be sent of the content, in bytes.
func contentLength(r *core.Response) int64 { return int64(len(r.Body)) + r.Section.Length }

// answerFast hands the answer over; x is given back once it is sent.
func (s *Server) answerFast(ctx *fasthttp.RequestCtx, x *exchange) {
	resp := &ctx.Response
	resp.SetStatusCode(x.response.Status)
	length := 0
	for name, value := range x.response.Fields() {
		switch view(name) {
		case "Content-Type":
			resp.Header.SetContentTypeBytes(value)
		case "Content-Length":
			length = int(parseLength(value))
		default:
			resp.Header.AddBytesKV(name, value)
		}
	}
	giveBack := func() {
		x.response.Release()
		s.exchanges.Put(x)
	}
	switch {
	case x.response.Section.Length > 0:
		resp.SetBodyStream(&sectionReader{section: x.response.Section, release: giveBack}, length)
		return
	case view(ctx.Method()) == "HEAD":
		resp.SkipBody = true
		resp.Header.SetContentLength(length)
	case len(x.response.Body) > 0:
		// The cache's own bytes: they stay as they are, and the garbage
		// collector keeps them until they are sent.
		resp.SetBodyRaw(x.response.Body)
	}
	giveBack()
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

func (s *Server) streamFast(ctx *fasthttp.RequestCtx) {
	for _, f := range reload.Head() {
		ctx.Response.Header.Set(f[0], f[1])
	}
	ctx.SetBodyStreamWriter(func(w *bufio.Writer) {
		s.reload.Stream(nil, func(event []byte) error {
			if _, err := w.Write(event); err != nil {
				return err
			}
			return w.Flush()
		})
	})
}
