package core

// Request is what an answer depends on. An absent field is the empty string;
// so is an empty one, which means the same in every case here.
type Request struct {
	Method string // as sent: "GET"
	// Target is the request target as it stands in the request line: origin
	// form, absolute form, or "*" (RFC 9112 §3.2).
	Target string

	AcceptEncoding    string
	IfMatch           string
	IfNoneMatch       string
	IfModifiedSince   string
	IfUnmodifiedSince string
	IfRange           string
	Range             string

	// These two are read only where a single-page application's fallback
	// might be the answer.
	Accept       string
	SecFetchDest string
}
