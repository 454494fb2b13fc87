package core

import "github.com/perfpin/perfpin/server/field"

// verdict is what the preconditions of a request ask for.
type verdict uint8

const (
	sendContent verdict = iota
	sendNotModified
	sendFailed
)

// evaluate goes through the preconditions in the order of RFC 9110 §13.2.2,
// steps 1 to 4.
func evaluate(req *Request, rep *representation) verdict {
	if req.IfMatch != "" {
		if !field.MatchesStrong(req.IfMatch, rep.etag) {
			return sendFailed
		}
	} else if req.IfUnmodifiedSince != "" {
		if t, ok := field.ParseDate(req.IfUnmodifiedSince); ok && rep.modified > t {
			return sendFailed
		}
	}
	if req.IfNoneMatch != "" {
		if field.MatchesWeak(req.IfNoneMatch, rep.etag) {
			return sendNotModified
		}
		return sendContent
	}
	if req.IfModifiedSince != "" {
		if req.IfModifiedSince == rep.lastMod {
			return sendNotModified
		}
		if t, ok := field.ParseDate(req.IfModifiedSince); ok && rep.modified <= t {
			return sendNotModified
		}
	}
	return sendContent
}

// appliesRange is step 5: whether If-Range, where there is one, still names
// this representation. A date does only if it is the exact one and too old to
// be shared by two versions (RFC 9110 §13.1.5, §8.8.2.2).
func (s *Site) appliesRange(req *Request, rep *representation) bool {
	v := req.IfRange
	switch {
	case v == "":
		return true
	case v[0] == '"' || v[0] == 'W' && len(v) > 1 && v[1] == '/':
		return field.EqualStrong(v, rep.etag)
	}
	t, ok := field.ParseDate(v)
	return ok && t == rep.modified && rep.modified+1 < s.now()/second
}
