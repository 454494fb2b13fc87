package engine

import "strings"

// readLine reads the request line at buf[i:] (RFC 9112 §3) and returns where
// the next line begins.
func (r *Request) readLine(buf []byte, i int) (int, error) {
	start := i
	for i < len(buf) && isToken(buf[i]) {
		i++
	}
	if i == len(buf) {
		return 0, ErrIncomplete
	}
	if i == start || buf[i] != ' ' {
		return 0, errMethod
	}
	r.Method = view(buf[start:i])
	i++

	start = i
	for i < len(buf) && buf[i] > ' ' && buf[i] != 0x7f {
		i++
	}
	if i == len(buf) {
		return 0, ErrIncomplete
	}
	if buf[i] != ' ' {
		return 0, errTargetByte
	}
	r.Target = view(buf[start:i])
	if err := checkTarget(r.Method, r.Target); err != nil {
		return 0, err
	}
	return r.readVersion(buf, i+1)
}

// version is what a version looks like, a digit for each 0, with the line's end.
const version = "HTTP/0.0\r\n"

func (r *Request) readVersion(buf []byte, i int) (int, error) {
	line := buf[i:min(len(buf), i+len(version))]
	switch view(line) {
	case "HTTP/1.1\r\n":
		r.Minor = 1
		return i + len(version), nil
	case "HTTP/1.0\r\n":
		return i + len(version), nil
	}
	for j, c := range line {
		want := version[j]
		if c == want || want == '0' && isDigit(c) {
			continue
		}
		if want == '\r' || want == '\n' {
			return 0, errLineEnd
		}
		return 0, errVersion
	}
	if len(line) < len(version) {
		return 0, ErrIncomplete
	}
	return 0, errOtherVersion
}

// checkTarget tells whether the target has the form that goes with the method
// (RFC 9112 §3.2). Which bytes a path may have is the Site's to judge, except
// that half an escape is no path to anybody.
func checkTarget(method, target string) error {
	if method == "CONNECT" {
		if target == "" || !isAuthority(target) {
			return errTarget
		}
		return nil
	}
	if target == "*" && method == "OPTIONS" {
		return nil
	}
	if strings.HasPrefix(target, "/") {
		return checkEscapes(target)
	}
	rest, ok := cutScheme(target)
	if !ok {
		return errTarget
	}
	authority := rest
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority = rest[:i]
	}
	if authority == "" || !isAuthority(authority) {
		return errTarget
	}
	return checkEscapes(rest[len(authority):])
}

func cutScheme(target string) (rest string, ok bool) {
	for _, scheme := range [...]string{"http://", "https://"} {
		if n := len(scheme); len(target) > n && strings.EqualFold(target[:n], scheme) {
			return target[n:], true
		}
	}
	return "", false
}

// checkEscapes goes through the path; a query may have any percent signs.
func checkEscapes(target string) error {
	i := strings.IndexByte(target, '%')
	if i < 0 {
		return nil
	}
	path, _, _ := strings.Cut(target, "?")
	for ; i < len(path); i++ {
		if path[i] == '%' && (i+2 >= len(path) || !isHex(path[i+1]) || !isHex(path[i+2])) {
			return errEscape
		}
	}
	return nil
}

// isAuthority tells a host with or without port (RFC 3986 §3.2), or nothing.
// There is no user (RFC 9110 §4.2.4), and no escape, since no host that has a
// name needs one.
func isAuthority(s string) bool {
	host, port := s, ""
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 || !isAddress(s[1:end]) {
			return false
		}
		if host, port = "", s[end+1:]; port != "" && port[0] != ':' {
			return false
		}
	} else if i := strings.IndexByte(s, ':'); i >= 0 {
		host, port = s[:i], s[i:]
	}
	for i := range len(host) {
		if !isHostByte(host[i]) {
			return false
		}
	}
	for i := 1; i < len(port); i++ {
		if !isDigit(port[i]) {
			return false
		}
	}
	return host != "" || port == "" || s[0] == '['
}

// isAddress knows an IPv6 address by its bytes; nothing is looked up by it.
func isAddress(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isHex(c) && c != ':' && c != '.' {
			return false
		}
	}
	return strings.IndexByte(s, ':') >= 0
}
