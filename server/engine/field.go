package engine

import "strings"

// readFields reads the field lines at buf[i:] (RFC 9112 §5) up to the empty
// line, and returns where that ends.
func (r *Request) readFields(buf []byte, i int) (int, error) {
	first := i
	repeated := fields(0)
	for {
		if i == len(buf) {
			return 0, ErrIncomplete
		}
		if buf[i] == '\r' {
			break
		}
		name, value, next, err := readField(buf, i)
		if err != nil {
			return 0, err
		}
		again, err := r.take(name, value)
		if err != nil {
			return 0, err
		}
		repeated |= again
		i = next
	}
	switch {
	case i+1 == len(buf):
		return 0, ErrIncomplete
	case buf[i+1] != '\n':
		return 0, errLineEnd
	}
	if repeated != 0 {
		r.joinRepeated(repeated, buf[first:i])
	}
	return i + 2, nil
}

// readField reads one line. The value comes without the white space around it.
func readField(buf []byte, i int) (name, value string, next int, err error) {
	start := i
	for i < len(buf) && isToken(buf[i]) {
		i++
	}
	switch {
	case i == start && i < len(buf) && (buf[i] == ' ' || buf[i] == '\t'):
		return "", "", 0, errFold
	case i == len(buf):
		return "", "", 0, ErrIncomplete
	case i == start || buf[i] != ':':
		return "", "", 0, errName
	}
	name = view(buf[start:i])
	i++
	for i < len(buf) && (buf[i] == ' ' || buf[i] == '\t') {
		i++
	}
	start = i
	for i < len(buf) && isValue(buf[i]) {
		i++
	}
	switch {
	case i == len(buf) || i+1 == len(buf) && buf[i] == '\r':
		return "", "", 0, ErrIncomplete
	case buf[i] == '\n' || buf[i] == '\r' && buf[i+1] != '\n':
		return "", "", 0, errLineEnd
	case buf[i] != '\r':
		return "", "", 0, errValue
	}
	end := i
	for end > start && (buf[end-1] == ' ' || buf[end-1] == '\t') {
		end--
	}
	return name, view(buf[start:end]), i + 2, nil
}

// take keeps what matters of a field. It returns the field if it is one whose
// lines are joined and this is not the first of them.
func (r *Request) take(name, value string) (repeated fields, err error) {
	if dst, which := r.place(name); dst != nil {
		if r.found&which != 0 {
			return which, nil
		}
		r.found |= which
		*dst = value
		return 0, nil
	}
	switch len(name) {
	case len("Host"):
		if strings.EqualFold(name, "Host") {
			return 0, r.takeHost(value)
		}
	case len("Expect"):
		if strings.EqualFold(name, "Expect") {
			return 0, r.takeExpect(value)
		}
	case len("Connection"):
		if strings.EqualFold(name, "Connection") {
			r.takeConnection(value)
		}
	case len("Content-Length"):
		if strings.EqualFold(name, "Content-Length") {
			return 0, r.takeLength(value)
		}
	case len("Transfer-Encoding"):
		if strings.EqualFold(name, "Transfer-Encoding") {
			return 0, r.takeCoding(value)
		}
	}
	return 0, nil
}

// place finds where the value of a field goes that the Site reads.
func (r *Request) place(name string) (dst *string, which fields) {
	var full string
	switch len(name) {
	case len("Range"):
		full, dst, which = "Range", &r.Range, hasRange
	case len("Accept"):
		full, dst, which = "Accept", &r.Accept, hasAccept
	case len("If-Match"): // and If-Range
		full, dst, which = "If-Match", &r.IfMatch, hasIfMatch
		if name[3]|0x20 == 'r' {
			full, dst, which = "If-Range", &r.IfRange, hasIfRange
		}
	case len("If-None-Match"):
		full, dst, which = "If-None-Match", &r.IfNoneMatch, hasIfNoneMatch
	case len("Sec-Fetch-Dest"):
		full, dst, which = "Sec-Fetch-Dest", &r.SecFetchDest, hasSecFetchDest
	case len("Accept-Encoding"):
		full, dst, which = "Accept-Encoding", &r.AcceptEncoding, hasAcceptEncoding
	case len("If-Modified-Since"):
		full, dst, which = "If-Modified-Since", &r.IfModifiedSince, hasIfModifiedSince
	case len("If-Unmodified-Since"):
		full, dst, which = "If-Unmodified-Since", &r.IfUnmodifiedSince, hasIfUnmodifiedSince
	}
	if full == "" || !strings.EqualFold(name, full) {
		return nil, 0
	}
	return dst, which
}

// joinRepeated replaces the first line of the repeated fields by all of them.
func (r *Request) joinRepeated(repeated fields, lines []byte) {
	for _, name := range [...]string{
		"Range", "Accept", "If-Match", "If-Range", "If-None-Match", "Sec-Fetch-Dest",
		"Accept-Encoding", "If-Modified-Since", "If-Unmodified-Since",
	} {
		if dst, which := r.place(name); repeated&which != 0 {
			*dst = join(lines, name)
		}
	}
}

func (r *Request) takeHost(value string) error {
	if r.found&hasHost != 0 || !isAuthority(value) {
		return errHost
	}
	r.found |= hasHost
	r.Host = value
	return nil
}

func (r *Request) takeExpect(value string) error {
	if !strings.EqualFold(value, "100-continue") {
		return errExpectation
	}
	r.expect = true
	return nil
}

func (r *Request) takeConnection(value string) {
	for option := range strings.SplitSeq(value, ",") {
		switch option = strings.Trim(option, " \t"); {
		case strings.EqualFold(option, "close"):
			r.found |= hasClose
		case strings.EqualFold(option, "keep-alive"):
			r.found |= hasKeepAlive
		}
	}
}

// maxDigits of a Content-Length: what fits in an int64 whatever the digits.
const maxDigits = 18

func (r *Request) takeLength(value string) error {
	if r.found&hasLength != 0 || value == "" || len(value) > maxDigits {
		return errLength
	}
	n := int64(0)
	for i := range len(value) {
		if !isDigit(value[i]) {
			return errLength
		}
		n = n*10 + int64(value[i]-'0')
	}
	r.found |= hasLength
	r.Length = n
	return nil
}

func (r *Request) takeCoding(value string) error {
	switch {
	case r.found&hasCoding != 0:
		return errCodingTwice
	case !strings.EqualFold(value, "chunked"):
		return errCoding
	}
	r.found |= hasCoding
	r.Length = chunkedLength
	return nil
}
