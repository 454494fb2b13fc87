package core

import (
	"errors"
	"path"
	"strings"

	"github.com/perfpin/perfpin/server/field"
	"github.com/perfpin/perfpin/server/rootfs"
	"github.com/perfpin/perfpin/server/urlpath"
)

// answerMissing answers for a path without a file of its own: a redirect
// where a slash is missing or too many, a listing, the fallback, or a refusal.
func (s *Site) answerMissing(req *Request, resp *Response, p urlpath.Path, query string, cause error) {
	if !rootfs.IsMissing(cause) && !errors.Is(cause, rootfs.ErrNotRegular) {
		s.fail(req, resp, string(p.File), cause)
		return
	}
	name := strings.Trim(string(p.Canonical), "/")
	if name == "" {
		name = "."
	}
	info, err := s.root.Stat(name)
	switch {
	case err == nil && p.IsDir() && info.Kind == rootfs.Regular:
		resp.redirect(p.Canonical[:len(p.Canonical)-1], query)
	case err == nil && !p.IsDir() && info.Kind == rootfs.Directory:
		resp.redirect(append(p.Canonical, '/'), query)
	case err == nil && p.IsDir() && info.Kind == rootfs.Directory && s.config.Listing:
		s.answerListing(req, resp, string(p.Canonical), name)
	case err != nil && rootfs.IsMissing(err) && s.wantsFallback(req, name):
		s.answerFallback(req, resp)
	default:
		s.refuse(req, resp, 404)
	}
}

// redirect sends the client to the canonical path. It begins with exactly one
// slash, so that it cannot be read as another host's (RFC 3986 §4.2).
func (resp *Response) redirect(canonical []byte, query string) {
	head := appendStatus(resp.scratch[:0], 301)
	head = append(head, "Location: "...)
	head = urlpath.Escape(head, canonical)
	head = appendQuery(head, query)
	head = append(head, "\r\nContent-Length: 0\r\n"...)
	resp.Status, resp.Head, resp.scratch = 301, head, head
}

// appendQuery appends the query as it was sent, with what could end the field
// line escaped, whatever the front end let through.
func appendQuery(dst []byte, query string) []byte {
	for _, c := range []byte(query) {
		if c <= ' ' || c == 0x7f {
			dst = urlpath.Escape(dst, []byte{c})
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// wantsFallback tells navigation from the loading of an asset: an asset has
// an extension, or the browser says what it is for (Fetch §Sec-Fetch-Dest),
// or it does not take HTML.
func (s *Site) wantsFallback(req *Request, name string) bool {
	if s.config.Fallback == "" || strings.Contains(path.Base(name), ".") && name != "." {
		return false
	}
	switch req.SecFetchDest {
	case "", "document", "iframe", "frame":
	default:
		return false
	}
	return req.Accept == "" || strings.Contains(req.Accept, "text/html") || strings.Contains(req.Accept, "*/*")
}

func (s *Site) answerFallback(req *Request, resp *Response) {
	p := s.pathOf(s.config.Fallback)
	r, err := s.resourceAt(p)
	if err != nil {
		s.fail(req, resp, s.config.Fallback, err)
		return
	}
	if !s.answer(req, resp, r) {
		s.fail(req, resp, s.config.Fallback, errStale)
	}
}

// page gives the uncoded representation of a file that the configuration
// names. It has to fit into memory.
func (s *Site) page(name string) (*representation, error) {
	r, err := s.resourceAt(s.pathOf(name))
	if err != nil {
		return nil, err
	}
	if rep := r.reps[field.Identity].Load(); rep != nil && rep.file == nil {
		return rep, nil
	}
	rep, err := s.build(r, field.Identity)
	if err != nil {
		return nil, err
	}
	if rep.file != nil {
		rep.letGo()
		return nil, errTooLarge
	}
	s.cache.attach(r, rep)
	return rep, nil
}

var errTooLarge = errors.New("too large to be a page")

// pathOf is the path under which a file of the root is cached.
func (s *Site) pathOf(name string) urlpath.Path {
	p := urlpath.Path{Canonical: []byte("/" + name), File: []byte(name)}
	if dir, ok := s.trimIndex(p.Canonical); ok {
		p.Canonical = dir
	}
	return p
}

func (s *Site) resourceAt(p urlpath.Path) (*resource, error) {
	if r := s.cache.get(string(p.Canonical)); r != nil && s.isFresh(r) {
		return r, nil
	}
	return s.load(p)
}
