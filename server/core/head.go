package core

import (
	"strconv"
	"strings"

	"github.com/perfpin/perfpin/server/field"
)

// allow is the methods that a Site answers.
const allow = "GET, HEAD, OPTIONS"

const immutable = "public, max-age=31536000, immutable"

// reason gives the phrases of the statuses that a Site answers (RFC 9110 §15).
func reason(status int) string {
	switch status {
	case 200:
		return "OK"
	case 204:
		return "No Content"
	case 206:
		return "Partial Content"
	case 301:
		return "Moved Permanently"
	case 304:
		return "Not Modified"
	case 400:
		return "Bad Request"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 405:
		return "Method Not Allowed"
	case 406:
		return "Not Acceptable"
	case 412:
		return "Precondition Failed"
	case 416:
		return "Range Not Satisfiable"
	case 500:
		return "Internal Server Error"
	case 503:
		return "Service Unavailable"
	}
	return ""
}

func appendStatus(dst []byte, status int) []byte {
	dst = append(dst, "HTTP/1.1 "...)
	dst = strconv.AppendInt(dst, int64(status), 10)
	dst = append(dst, ' ')
	dst = append(dst, reason(status)...)
	return append(dst, "\r\n"...)
}

func appendField(dst []byte, name, value string) []byte {
	dst = append(dst, name...)
	dst = append(dst, ": "...)
	dst = append(dst, value...)
	return append(dst, "\r\n"...)
}

func appendLength(dst []byte, n int64) []byte {
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, n, 10)
	return append(dst, "\r\n"...)
}

// writeHeads makes the heads that a hit is answered with.
func (s *Site) writeHeads(r *resource, rep *representation) {
	head := appendStatus(nil, 200)
	head = s.appendContentType(head, r, rep)
	head = appendLength(head, rep.size)
	rep.head = s.appendEntity(head, r, rep)

	// RFC 9110 §15.4.5: what a 304 has to carry, and no more.
	head = appendStatus(nil, 304)
	head = appendField(head, "ETag", rep.etag)
	head = appendVary(head, r)
	rep.notModified = s.appendPathFields(head, r)
}

// appendEntity appends what 200 and 206 have in common besides the content's
// type and length.
func (s *Site) appendEntity(dst []byte, r *resource, rep *representation) []byte {
	if rep.coding != field.Identity {
		dst = appendField(dst, "Content-Encoding", rep.coding.Name())
	}
	dst = appendField(dst, "ETag", rep.etag)
	dst = appendField(dst, "Last-Modified", rep.lastMod)
	dst = appendField(dst, "Accept-Ranges", "bytes")
	dst = appendVary(dst, r)
	return s.appendPathFields(dst, r)
}

// appendVary appends Vary wherever another Accept-Encoding could have had
// another answer (RFC 9110 §12.5.5).
func appendVary(dst []byte, r *resource) []byte {
	if r.available == 1<<field.Identity {
		return dst
	}
	return appendField(dst, "Vary", "Accept-Encoding")
}

func (s *Site) appendContentType(dst []byte, r *resource, rep *representation) []byte {
	if s.replaces(r, "Content-Type") {
		return dst
	}
	return appendField(dst, "Content-Type", rep.mediaT)
}

// appendPathFields appends what the configuration adds to this path.
func (s *Site) appendPathFields(dst []byte, r *resource) []byte {
	if s.config.Immutable != nil && s.config.Immutable(r.path) && !s.replaces(r, "Cache-Control") {
		dst = appendField(dst, "Cache-Control", immutable)
	}
	for _, rule := range s.config.Headers {
		if !rule.matches(r.path) {
			continue
		}
		for _, f := range rule.Fields {
			dst = appendField(dst, f.Name, f.Value)
		}
	}
	return dst
}

// replaces tells whether a rule for the path of r sets the field name.
func (s *Site) replaces(r *resource, name string) bool {
	for _, rule := range s.config.Headers {
		if !rule.matches(r.path) {
			continue
		}
		for _, f := range rule.Fields {
			if strings.EqualFold(f.Name, name) {
				return true
			}
		}
	}
	return false
}
