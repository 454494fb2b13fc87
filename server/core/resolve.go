package core

import (
	"errors"
	"fmt"
	"strings"

	"github.com/perfpin/perfpin/server/field"
	"github.com/perfpin/perfpin/server/rootfs"
	"github.com/perfpin/perfpin/server/urlpath"
)

// maxLoads bounds how often a file that changes under the reader's hands is
// read anew for one request. Being replaced by rename(2) counts, since it
// changes the ctime of the one that goes.
const maxLoads = 16

// resolve answers what the cache could not: it finds the file by the rules.
func (s *Site) resolve(req *Request, resp *Response) {
	raw, query, ok := splitTarget(req.Target)
	if !ok {
		s.refuse(req, resp, 400)
		return
	}
	p, err := s.rules.Resolve(resp.path, raw)
	switch {
	case errors.Is(err, urlpath.ErrEmptySegment):
		resp.redirect(p.Canonical, query)
		return
	case err != nil:
		s.refuse(req, resp, statusOfPath(err))
		return
	}
	resp.path = p.Canonical[:0]
	if dir, ok := s.trimIndex(p.Canonical); ok {
		resp.redirect(dir, query)
		return
	}
	s.answerPath(req, resp, p, query)
}

// answerPath answers from the file that p stands for, or says why it cannot.
func (s *Site) answerPath(req *Request, resp *Response, p urlpath.Path, query string) {
	for range maxLoads {
		r := s.cache.get(string(p.Canonical))
		if r == nil || !s.isFresh(r) {
			var err error
			if r, err = s.load(p); err != nil {
				s.answerMissing(req, resp, p, query, err)
				return
			}
		}
		if s.answer(req, resp, r) {
			return
		}
	}
	s.fail(req, resp, string(p.File), errStale)
}

// trimIndex gives the directory of a path that spells out the index file,
// whose only path is the directory's.
func (s *Site) trimIndex(path []byte) ([]byte, bool) {
	n := len(path) - len(s.config.Index)
	if n > 0 && path[n-1] == '/' && string(path[n:]) == s.config.Index {
		return path[:n], true
	}
	return nil, false
}

// splitTarget takes path and query out of a target in origin form or absolute
// form (RFC 9112 §3.2). The query has its question mark.
func splitTarget(target string) (path, query string, ok bool) {
	if !strings.HasPrefix(target, "/") {
		if target, ok = cutAuthority(target); !ok {
			return "", "", false
		}
	}
	if i := strings.IndexByte(target, '?'); i >= 0 {
		return target[:i], target[i:], true
	}
	return target, "", true
}

// cutAuthority takes scheme and authority off an absolute form. An empty path
// is the root's (RFC 9110 §4.2.3).
func cutAuthority(target string) (string, bool) {
	scheme, rest, ok := strings.Cut(target, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return "", false
	}
	i := strings.IndexAny(rest, "/?")
	switch {
	case i == 0:
		return "", false
	case i < 0:
		return "/", rest != ""
	case rest[i] == '?':
		return "/" + rest[i:], true
	}
	return rest[i:], true
}

// fail answers for a file that could not be read, and reports it.
func (s *Site) fail(req *Request, resp *Response, name string, err error) {
	s.report(fmt.Errorf("file %q: %w", name, err))
	s.refuse(req, resp, statusOf(err))
}

// answerBuilt answers with a representation that is not there yet. It is
// false if r is out of date.
func (s *Site) answerBuilt(req *Request, resp *Response, r *resource, c field.Coding) bool {
	r.building.Lock()
	defer r.building.Unlock()
	rep := r.reps[c].Load()
	if rep != nil && (rep.file == nil || rep.file.hold()) {
		s.send(req, resp, r, rep)
		return true
	}
	rep, err := s.build(r, c)
	if err != nil {
		s.cache.remove(r)
		if errors.Is(err, errStale) || rootfs.IsMissing(err) || errors.Is(err, rootfs.ErrNotRegular) {
			return false
		}
		s.fail(req, resp, r.file+c.Suffix(), err)
		return true
	}
	if rep.file != nil {
		rep.file.refs.Add(1) // the cache's own hold, before it may let go
	}
	if !s.cache.attach(r, rep) {
		rep.letGo()
	}
	s.send(req, resp, r, rep)
	return true
}
