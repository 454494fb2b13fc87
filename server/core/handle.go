package core

import (
	"strings"

	"github.com/perfpin/perfpin/server/field"
)

// Handle answers req. It blocks for the file system where the answer is not
// cached, and for nothing else. What resp held before is overwritten: Release
// it first.
func (s *Site) Handle(req *Request, resp *Response) {
	if req.Method != "GET" && req.Method != "HEAD" {
		s.answerMethod(req, resp)
		return
	}
	path := req.Target
	if i := strings.IndexByte(path, '?'); i >= 0 {
		path = path[:i]
	}
	// Without an escape a path that resolves at all resolves to itself, so
	// the cache can be asked before it is resolved.
	if strings.IndexByte(path, '%') < 0 {
		if r := s.cache.get(path); r != nil && r.plain && s.isFresh(r) && s.answer(req, resp, r) {
			return
		}
	}
	s.resolve(req, resp)
}

// answer answers from r. It is false if r is out of date.
func (s *Site) answer(req *Request, resp *Response, r *resource) bool {
	coding := field.Identity
	if req.AcceptEncoding != "" || r.available != 1<<field.Identity {
		var ok bool
		coding, ok = resp.accept.parse(req.AcceptEncoding).Choose(r.available)
		if !ok {
			s.refuse(req, resp, 406)
			return true
		}
	}
	rep := r.reps[coding].Load()
	if rep == nil || (rep.file != nil && !rep.file.hold()) {
		return s.answerBuilt(req, resp, r, coding)
	}
	if !r.used.Load() {
		r.used.Store(true)
	}
	s.send(req, resp, r, rep)
	return true
}

// send answers with rep by the preconditions of req. The file of rep is held
// for the answer.
func (s *Site) send(req *Request, resp *Response, r *resource, rep *representation) {
	switch evaluate(req, rep) {
	case sendContent:
		if req.Range == "" || req.Method != "GET" || !s.appliesRange(req, rep) || !s.sendRange(req, resp, r, rep) {
			resp.Status, resp.Head = 200, rep.head
			resp.setContent(req, rep, 0, rep.size)
		}
	case sendNotModified:
		resp.Status, resp.Head = 304, rep.notModified
		rep.letGo()
	case sendFailed:
		rep.letGo()
		s.refuse(req, resp, 412)
	}
}

// setContent sets the part of the content that is sent, if any is.
func (resp *Response) setContent(req *Request, rep *representation, offset, length int64) {
	switch {
	case req.Method == "HEAD" || length == 0:
		rep.letGo()
	case rep.file != nil:
		resp.Section = Section{file: rep.file, Offset: offset, Length: length}
	default:
		resp.Body = rep.body[offset : offset+length]
	}
}

// letGo gives up an answer's hold on the file.
func (rep *representation) letGo() {
	if rep.file != nil {
		rep.file.release()
	}
}
