package server

import (
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/perfpin/perfpin/server/core"
	"github.com/perfpin/perfpin/server/reload"
)

// Server serves one directory. It is an http.Handler, and listens by itself
// with Serve.
type Server struct {
	site   *core.Site
	limits Limits
	log    *accessLog  // nil without
	reload *reload.Hub // nil without
	closed chan struct{}
	front  frontEnd
	// exchanges keeps Request and Response pairs for reuse.
	exchanges sync.Pool
}

// exchange is one request and its answer.
type exchange struct {
	request  core.Request
	response core.Response
}

// sweepInterval is how long a file that nobody asks for stays open, and
// up to twice that.
const sweepInterval = 5 * time.Second

// New makes a Server of the directory root. It is an error if root is not a
// directory, or for each fault in the options.
func New(root string, options ...Option) (*Server, error) {
	set := settings{core: core.Defaults(), limits: DefaultLimits(), frontEnd: DefaultFrontEnd}
	for _, option := range options {
		option(&set)
	}
	if err := set.limits.validate(); err != nil {
		return nil, err
	}
	if set.liveReload {
		set.core.Inject = []byte(reload.Script)
		set.core.Revalidate = 0
		set.core.Headers = append(set.core.Headers, core.HeaderRule{
			Pattern: "/**", Fields: []core.HeaderField{{Name: "Cache-Control", Value: "no-cache"}},
		})
	}
	site, err := core.Open(root, set.core)
	if err != nil {
		return nil, err
	}
	s := &Server{site: site, limits: set.limits, closed: make(chan struct{})}
	s.exchanges.New = func() any { return new(exchange) }
	if set.accessLog != nil {
		s.log = &accessLog{w: set.accessLog, now: set.core.Clock}
	}
	if set.liveReload {
		if s.reload, err = reload.Watch(root); err != nil {
			return nil, errors.Join(err, site.Close())
		}
	}
	if s.front, err = newFrontEnd(s, set.frontEnd); err != nil {
		return nil, errors.Join(err, s.closeTree())
	}
	go s.sweep()
	return s, nil
}

// asksForEvents tells a request for the events of live reload.
func (s *Server) asksForEvents(method, target string) bool {
	path, _, _ := strings.Cut(target, "?")
	return s.reload != nil && path == reload.Path && method == "GET"
}

// sweep closes files that nobody asks for, until Close.
func (s *Server) sweep() {
	every := time.NewTicker(sweepInterval)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			s.site.Sweep()
		case <-s.closed:
			return
		}
	}
}

// Close ends the use of the directory. Listeners are ended by Shutdown, which
// goes first. It is called once.
func (s *Server) Close() error {
	close(s.closed)
	return s.closeTree()
}

func (s *Server) closeTree() error {
	if s.reload != nil {
		s.reload.Close()
	}
	return s.site.Close()
}

// chunkBytes is how much of a file is in memory while it is copied.
const chunkBytes = 64 << 10

// sectionReader reads a Section from its beginning. Its last bytes come only
// if the file is still the version that the head describes: otherwise the
// answer stays short, so that the client can tell.
type sectionReader struct {
	section core.Section
	done    int64
	release func()
}

func (r *sectionReader) left() int64 { return r.section.Length - r.done }

func (r *sectionReader) Read(p []byte) (int, error) {
	left := r.left()
	if left == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), left)]
	n, err := r.section.ReadAt(p, r.section.Offset+r.done)
	if err == nil && int64(n) == left {
		err = r.section.Intact()
	}
	if err != nil {
		return 0, errors.Join(errCutShort, err)
	}
	r.done += int64(n)
	return n, nil
}

// Close gives the answer back.
func (r *sectionReader) Close() error {
	r.release()
	return nil
}

var errCutShort = errors.New("answer cut short")
