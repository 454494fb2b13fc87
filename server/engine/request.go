package engine

import (
	"strings"
	"unsafe"

	"github.com/perfpin/perfpin/server/core"
)

// Request is a request as Parse reads it. Its strings point into the buffer.
type Request struct {
	core.Request

	// Minor is that of the version: 0 for HTTP/1.0, 1 for HTTP/1.1.
	Minor int
	// Host is the value of the field, which absolute form overrides.
	Host string
	// Fields are the field lines as they were sent, each with its CRLF.
	Fields []byte
	// Length is the content's in bytes, or -1 where it is chunked.
	Length int64
	// Continue tells that the client waits for 100 or a final answer before
	// it sends the content (RFC 9110 §10.1.1).
	Continue bool
	// KeepAlive tells that the client wants to use the connection again
	// (RFC 9112 §9.3).
	KeepAlive bool

	found  fields
	expect bool // 100-continue was sent
}

// chunkedLength is the Length of content that tells its own end.
const chunkedLength = -1

// fields is a set of what was found in a head.
type fields uint32

const (
	hasHost fields = 1 << iota
	hasLength
	hasCoding
	hasClose
	hasKeepAlive
	// The ones whose lines are joined, as several lines of a list may be.
	hasAccept
	hasAcceptEncoding
	hasIfMatch
	hasIfNoneMatch
	hasIfModifiedSince
	hasIfUnmodifiedSince
	hasIfRange
	hasRange
	hasSecFetchDest
)

// Parse reads the head of one request, whose length it returns. Before the
// request line one empty line is passed over (RFC 9112 §2.2). The head may have
// up to limit bytes. Nothing is allocated, unless a field that Request names
// is on several lines.
//
// The error is ErrIncomplete, or a *Refusal. What it is depends on the first
// byte at fault alone, so that it does not matter how the bytes are split.
func Parse(r *Request, buf []byte, limit int) (int, error) {
	*r = Request{}
	short := buf[:min(len(buf), limit)]
	start, err := skipEmptyLine(short)
	if err != nil {
		return 0, tooLong(err, buf, limit, errTargetLong)
	}
	i, err := r.readLine(short, start)
	if err != nil {
		return 0, tooLong(err, buf, limit, errTargetLong)
	}
	end, err := r.readFields(short, i)
	if err != nil {
		return 0, tooLong(err, buf, limit, errHeadLong)
	}
	r.Fields = buf[i : end-len("\r\n")]
	return end, r.settle()
}

// tooLong turns an incomplete head that has no room left into a refusal.
func tooLong(err error, buf []byte, limit int, refusal *Refusal) error {
	if err == ErrIncomplete && len(buf) >= limit {
		return refusal
	}
	return err
}

func skipEmptyLine(buf []byte) (int, error) {
	switch {
	case len(buf) == 0:
		return 0, ErrIncomplete
	case buf[0] != '\r':
		return 0, nil
	case len(buf) == 1:
		return 0, ErrIncomplete
	case buf[1] != '\n':
		return 0, errLineEnd
	case len(buf) == 2:
		return 0, ErrIncomplete
	}
	return 2, nil
}

// settle draws the conclusions from all fields together.
func (r *Request) settle() error {
	switch {
	case r.found&hasHost == 0 && r.Minor == 1:
		return errHost
	case r.found&hasCoding != 0 && r.Minor == 0:
		return errCoding10
	case r.found&(hasCoding|hasLength) == hasCoding|hasLength:
		return errBothLengths
	}
	r.KeepAlive = r.found&hasClose == 0 && (r.Minor == 1 || r.found&hasKeepAlive != 0)
	// An HTTP/1.0 client that sends it does not wait (RFC 9110 §10.1.1).
	r.Continue = r.expect && r.Minor == 1 && r.Length != 0
	return nil
}

// join gives the lines of a list field as one (RFC 9110 §5.3).
func join(fields []byte, name string) string {
	var all strings.Builder
	lines := 0
	for line := range strings.SplitSeq(view(fields), "\r\n") {
		n, value, _ := strings.Cut(line, ":")
		if !strings.EqualFold(n, name) {
			continue
		}
		if lines++; lines > 1 {
			all.WriteString(", ")
		}
		all.WriteString(strings.Trim(value, " \t"))
	}
	return all.String()
}

// view looks at b as a string, for as long as b stays as it is.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
