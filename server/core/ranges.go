package core

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/perfpin/perfpin/server/field"
)

// sendRange answers a Range field with 206 or 416. It is false if the field
// is to be ignored; then nothing is set.
func (s *Site) sendRange(req *Request, resp *Response, r *resource, rep *representation) bool {
	ranges, outcome := field.ParseRange(resp.ranges[:0], req.Range, rep.size, s.config.MaxRanges)
	resp.ranges = ranges
	switch {
	case outcome == field.RangeIgnored:
		return false
	case outcome == field.RangeUnsatisfiable:
		rep.letGo()
		s.refuse(req, resp, 416)
		resp.scratch = append(resp.scratch, "Content-Range: bytes */"...)
		resp.scratch = strconv.AppendInt(resp.scratch, rep.size, 10)
		resp.scratch = append(resp.scratch, "\r\n"...)
		resp.Head = resp.scratch
		return true
	case len(ranges) > 1:
		return s.sendParts(req, resp, r, rep)
	}
	head := appendStatus(resp.scratch[:0], 206)
	head = s.appendContentType(head, r, rep)
	head = appendLength(head, ranges[0].Length)
	head = appendContentRange(head, ranges[0], rep.size)
	head = s.appendEntity(head, r, rep)
	resp.Status, resp.Head, resp.scratch = 206, head, head
	resp.setContent(req, rep, ranges[0].Start, ranges[0].Length)
	return true
}

func appendContentRange(dst []byte, r field.Range, size int64) []byte {
	dst = append(dst, "Content-Range: bytes "...)
	dst = strconv.AppendInt(dst, r.Start, 10)
	dst = append(dst, '-')
	dst = strconv.AppendInt(dst, r.Start+r.Length-1, 10)
	dst = append(dst, '/')
	dst = strconv.AppendInt(dst, size, 10)
	return append(dst, "\r\n"...)
}

// partsBytes bounds the content of a multipart answer, which is put together
// in memory. Beyond, the field is ignored.
const partsBytes = 1 << 20

// sendParts answers with multipart/byteranges (RFC 9110 §14.6).
func (s *Site) sendParts(req *Request, resp *Response, r *resource, rep *representation) bool {
	total := int64(0)
	for _, part := range resp.ranges {
		total += part.Length
	}
	if total > partsBytes {
		return false
	}
	boundary := newBoundary()
	body := make([]byte, 0, int(total)+len(resp.ranges)*192)
	for _, part := range resp.ranges {
		body = append(body, "\r\n--"+boundary+"\r\n"...)
		body = s.appendContentType(body, r, rep)
		body = appendContentRange(body, part, rep.size)
		body = append(body, "\r\n"...)
		var err error
		if body, err = rep.appendPart(body, part); err != nil {
			rep.letGo()
			s.fail(req, resp, r.file, fmt.Errorf("part at %d: %w", part.Start, err))
			return true
		}
	}
	rep.letGo()
	body = append(body, "\r\n--"+boundary+"--\r\n"...)
	head := appendStatus(resp.scratch[:0], 206)
	head = appendField(head, "Content-Type", "multipart/byteranges; boundary="+boundary)
	head = appendLength(head, int64(len(body)))
	head = s.appendEntity(head, r, rep)
	resp.Status, resp.Head, resp.scratch = 206, head, head
	if req.Method != "HEAD" {
		resp.Body = body
	}
	return true
}

func (rep *representation) appendPart(dst []byte, part field.Range) ([]byte, error) {
	if rep.file == nil {
		return append(dst, rep.body[part.Start:part.Start+part.Length]...), nil
	}
	n := len(dst)
	dst = append(dst, make([]byte, part.Length)...)
	if _, err := rep.file.ReadAt(dst[n:], part.Start); err != nil {
		return nil, err
	}
	return dst, Section{file: rep.file}.Intact()
}

// newBoundary gives a line that stands in no file: 128 random bits.
func newBoundary() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
