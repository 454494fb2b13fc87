package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"sync"
	"time"

	"github.com/perfpin/perfpin/server/core"
	"github.com/perfpin/perfpin/server/reload"

	"github.com/valyala/fasthttp"
)

// maxBodyBytes is what of a request body is read to be thrown away.
const maxBodyBytes = 64 << 10

// fastFront is the front end on fasthttp.
type fastFront struct {
	*Server
	fast *fasthttp.Server

	mu        sync.Mutex
	listeners []net.Listener
	stopped   bool
}

func newFastFront(s *Server) *fastFront {
	f := &fastFront{Server: s}
	f.fast = &fasthttp.Server{
		Handler:                      f.answer,
		ErrorHandler:                 refuseFast,
		Logger:                       log.New(io.Discard, "", 0),
		ReadBufferSize:               s.limits.HeaderBytes,
		ReadTimeout:                  s.limits.ReadTimeout,
		IdleTimeout:                  s.limits.IdleTimeout,
		Concurrency:                  s.limits.Connections,
		MaxRequestBodySize:           maxBodyBytes,
		MaxIdleWorkerDuration:        time.Second,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
		DisablePreParseMultipartForm: true,
		CloseOnShutdown:              true,
	}
	return f
}

func (f *fastFront) Serve(l net.Listener) error {
	if !f.register(l) {
		return l.Close()
	}
	err := f.fast.Serve(&patientListener{Listener: l, timeout: f.limits.WriteTimeout})
	if f.isStopped() {
		return nil
	}
	return errors.Join(err, l.Close())
}

// register keeps l for Shutdown, since fasthttp forgets one that comes before
// its Serve. It is false after one.
func (f *fastFront) register(l net.Listener) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listeners = append(f.listeners, l)
	return !f.stopped
}

func (f *fastFront) isStopped() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stopped
}

func (f *fastFront) Shutdown(ctx context.Context) error {
	f.mu.Lock()
	f.stopped = true
	for _, l := range f.listeners {
		l.Close()
	}
	f.mu.Unlock()
	err := f.fast.ShutdownWithContext(ctx)
	if errors.Is(err, net.ErrClosed) {
		return nil // by the loop above
	}
	return err
}

// answer answers one request.
func (f *fastFront) answer(ctx *fasthttp.RequestCtx) {
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
	if f.asksForEvents(view(h.Method()), target) {
		f.stream(ctx)
		return
	}
	x := f.exchanges.Get().(*exchange)
	x.request = requestOfFast(h)
	f.site.Handle(&x.request, &x.response)
	f.log.write(ctx.RemoteAddr().String(), x.request.Method, target, view(h.Protocol()), x.response.Status, contentLength(&x.response))
	f.send(ctx, x)
}

// contentLength is what will be sent of the content, in bytes.
func contentLength(r *core.Response) int64 { return int64(len(r.Body)) + r.Section.Length }

// send hands the answer over; x is given back once it is sent.
func (f *fastFront) send(ctx *fasthttp.RequestCtx, x *exchange) {
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
		f.exchanges.Put(x)
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

func (f *fastFront) stream(ctx *fasthttp.RequestCtx) {
	for _, field := range reload.Head() {
		ctx.Response.Header.Set(field[0], field[1])
	}
	ctx.SetBodyStreamWriter(func(w *bufio.Writer) {
		f.reload.Stream(nil, func(event []byte) error {
			if _, err := w.Write(event); err != nil {
				return err
			}
			return w.Flush()
		})
	})
}
