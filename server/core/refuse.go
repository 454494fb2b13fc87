package core

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/perfpin/perfpin/server/rootfs"
	"github.com/perfpin/perfpin/server/urlpath"

	"golang.org/x/sys/unix"
)

var errMissing = fs.ErrNotExist

// answerMethod answers whatever is neither GET nor HEAD.
func (s *Site) answerMethod(req *Request, resp *Response) {
	if req.Method != "OPTIONS" {
		s.refuse(req, resp, 405)
		return
	}
	resp.Status = 204
	resp.scratch = appendStatus(resp.scratch[:0], 204)
	resp.scratch = appendField(resp.scratch, "Allow", allow)
	resp.Head = resp.scratch
}

// refuse answers with a status of 400 or more: the configured page, or a line
// of text.
func (s *Site) refuse(req *Request, resp *Response, status int) {
	mediaT, body := "text/plain; charset=utf-8", []byte(reason(status)+"\n")
	if page := s.errorPage(status); page != nil {
		mediaT, body = page.mediaT, page.body
	}
	head := appendStatus(resp.scratch[:0], status)
	head = appendField(head, "Content-Type", mediaT)
	head = appendLength(head, int64(len(body)))
	switch status {
	case 405:
		head = appendField(head, "Allow", allow)
	case 406:
		head = appendField(head, "Vary", "Accept-Encoding")
	}
	resp.Status, resp.Head, resp.scratch = status, head, head
	if req.Method != "HEAD" {
		resp.Body = body
	}
}

// errorPage reads the page for a status, from the cache as a rule. A page that
// cannot be read is reported and done without.
func (s *Site) errorPage(status int) *representation {
	name, ok := s.config.ErrorPages[status]
	if !ok {
		return nil
	}
	rep, err := s.page(name)
	if err != nil {
		s.report(fmt.Errorf("error page %d: %q: %w", status, name, err))
		return nil
	}
	return rep
}

// statusOf tells how a failure to read a file is answered. Missing and
// forbidden files are the client's affair; the rest is the server's.
func statusOf(err error) int {
	switch {
	case rootfs.IsMissing(err), errors.Is(err, rootfs.ErrNotRegular):
		return 404
	case errors.Is(err, fs.ErrPermission):
		return 403
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE), errors.Is(err, errStale):
		return 503
	}
	return 500
}

// statusOfPath tells how a path that does not resolve is answered.
func statusOfPath(err error) int {
	if errors.Is(err, urlpath.ErrHidden) || errors.Is(err, urlpath.ErrNoName) {
		return 404
	}
	return 400
}
