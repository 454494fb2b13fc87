package server

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/perfpin/perfpin/server/core"
	"github.com/perfpin/perfpin/server/reload"
)

// ServeHTTP answers r. Where the answer cannot be finished it panics with
// http.ErrAbortHandler, so that the connection ends.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.asksForEvents(r.Method, r.URL.Path) {
		s.streamHTTP(w, r)
		return
	}
	x := s.exchanges.Get().(*exchange)
	defer s.exchanges.Put(x)
	defer x.response.Release()
	x.request = requestOf(r)
	s.site.Handle(&x.request, &x.response)
	header := w.Header()
	for name, value := range x.response.Fields() {
		header.Add(string(name), string(value))
	}
	w.WriteHeader(x.response.Status)
	sent, err := writeContent(w, &x.response)
	s.log.write(r.RemoteAddr, r.Method, r.RequestURI, r.Proto, x.response.Status, sent)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}

func writeContent(w io.Writer, resp *core.Response) (int64, error) {
	if len(resp.Body) == 0 && resp.Section.Length == 0 {
		return 0, nil // where no content is allowed, not even an empty write is
	}
	if resp.Section.Length == 0 {
		n, err := w.Write(resp.Body)
		return int64(n), err
	}
	// The struct hides that a ResponseWriter can read by itself, which would
	// be in pieces of its own size.
	from := &sectionReader{section: resp.Section}
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{from}, make([]byte, chunkBytes))
}

// requestOf takes out of r what the core reads.
func requestOf(r *http.Request) core.Request {
	return core.Request{
		Method:            r.Method,
		Target:            targetOf(r),
		AcceptEncoding:    join(r.Header, "Accept-Encoding"),
		IfMatch:           join(r.Header, "If-Match"),
		IfNoneMatch:       join(r.Header, "If-None-Match"),
		IfModifiedSince:   join(r.Header, "If-Modified-Since"),
		IfUnmodifiedSince: join(r.Header, "If-Unmodified-Since"),
		IfRange:           join(r.Header, "If-Range"),
		Range:             join(r.Header, "Range"),
		Accept:            join(r.Header, "Accept"),
		SecFetchDest:      join(r.Header, "Sec-Fetch-Dest"),
	}
}

// targetOf gives the target as it was sent, unless a handler in front changed
// the path, as http.StripPrefix does: then the path decides.
func targetOf(r *http.Request) string {
	sent, _, _ := strings.Cut(r.RequestURI, "?")
	if path, err := url.PathUnescape(sent); err == nil && path == r.URL.Path || sent == r.URL.Path {
		return r.RequestURI
	}
	return r.URL.RequestURI()
}

// join gives the lines of a list field as one (RFC 9110 §5.3).
func join(h http.Header, name string) string {
	lines := h[name]
	if len(lines) == 1 {
		return lines[0]
	}
	return strings.Join(lines, ", ")
}

func (s *Server) streamHTTP(w http.ResponseWriter, r *http.Request) {
	for _, f := range reload.Head() {
		w.Header().Set(f[0], f[1])
	}
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)
	s.reload.Stream(r.Context().Done(), func(event []byte) error {
		if _, err := w.Write(event); err != nil {
			return err
		}
		return flush.Flush()
	})
}
