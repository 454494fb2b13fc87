package engine

import (
	"errors"
	"strconv"
)

// ErrIncomplete says that the bytes so far begin a request.
var ErrIncomplete = errors.New("request: incomplete")

// Refusal is the reason why a request is not served. The connection ends after
// the answer, since what follows on it cannot be told.
type Refusal struct {
	Status int    // 400 or more
	Why    string // with the section that forbids it
}

func (r *Refusal) Error() string {
	return "request: " + strconv.Itoa(r.Status) + ": " + r.Why
}

// The sections are those of RFC 9112, where no other is named.
var (
	errMethod       = &Refusal{400, "method is not a token (RFC 9110 §9.1)"}
	errTarget       = &Refusal{400, "target has no form of §3.2"}
	errTargetByte   = &Refusal{400, "target with a control byte (§3.2)"}
	errEscape       = &Refusal{400, "path with a percent sign that begins no escape (RFC 3986 §2.1)"}
	errVersion      = &Refusal{400, "request line without a version (§3)"}
	errOtherVersion = &Refusal{505, "version other than 1.0 and 1.1 (§2.3)"}
	errLineEnd      = &Refusal{400, "line that does not end in CR LF (§2.2)"}
	errFold         = &Refusal{400, "folded line (§5.2)"}
	errName         = &Refusal{400, "field name is not a token (§5.1)"}
	errValue        = &Refusal{400, "field value with a control byte (RFC 9110 §5.5)"}
	errHost         = &Refusal{400, "host is missing, sent twice or malformed (§3.2)"}
	errLength       = &Refusal{400, "content length is not one number (§6.3)"}
	errBothLengths  = &Refusal{400, "content length beside a transfer coding (§6.1)"}
	errCoding10     = &Refusal{400, "transfer coding in HTTP/1.0 (§6.1)"}
	errCodingTwice  = &Refusal{400, "transfer coding on several lines (§6.1)"}
	errCoding       = &Refusal{501, "transfer coding other than chunked (§6.1)"}
	errExpectation  = &Refusal{417, "expectation other than 100-continue (RFC 9110 §10.1.1)"}
	errTargetLong   = &Refusal{414, "request line too long (§3)"}
	errHeadLong     = &Refusal{431, "head too long (RFC 6585 §5)"}
	errBodyLong     = &Refusal{413, "content too long (RFC 9110 §15.5.14)"}
	errChunk        = &Refusal{400, "malformed chunk (§7.1)"}
	errTrailer      = &Refusal{400, "malformed trailer (§7.1.2)"}
	errLate         = &Refusal{408, "request took too long (RFC 9110 §15.5.9)"}
)

// phrase gives the reason phrases of refusals (RFC 9110 §15, RFC 6585 §5).
func phrase(status int) string {
	switch status {
	case 408:
		return "Request Timeout"
	case 413:
		return "Content Too Large"
	case 414:
		return "URI Too Long"
	case 417:
		return "Expectation Failed"
	case 431:
		return "Request Header Fields Too Large"
	case 501:
		return "Not Implemented"
	case 505:
		return "HTTP Version Not Supported"
	}
	return "Bad Request"
}

// appendRefusal appends an answer without its Date and blank line, and gives
// the content that follows them.
func appendRefusal(dst []byte, status int) (head []byte, content string) {
	content = phrase(status)
	dst = append(dst, "HTTP/1.1 "...)
	dst = strconv.AppendInt(dst, int64(status), 10)
	dst = append(dst, ' ')
	dst = append(dst, content...)
	dst = append(dst, "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(content)+1), 10)
	return append(dst, "\r\n"...), content
}
