// Package urlpath turns the path of a request target into the name of a file
// below a root. It is pure: it looks at no file system.
package urlpath

import "errors"

// What a path can be refused for.
var (
	// ErrMalformed: a percent sign without two hexadecimal digits (RFC 3986
	// §2.1), a control character however written, a raw backslash or "#", or
	// no leading slash.
	ErrMalformed = errors.New("malformed path")
	// ErrDotSegment: a segment is "." or ".." once decoded. Clients remove
	// these before they send (RFC 3986 §5.2.4).
	ErrDotSegment = errors.New("dot segment")
	// ErrNoName: an encoded slash or backslash, which is data (RFC 3986 §2.2)
	// that no file's name is allowed to hold.
	ErrNoName = errors.New("path names no file")
	// ErrHidden: a segment begins with a dot and Dotfiles is off.
	ErrHidden = errors.New("hidden path")
	// ErrEmptySegment: two slashes stand side by side. The Path is what
	// remains when they are merged.
	ErrEmptySegment = errors.New("empty segment")
)

// Rules say what a Path may be.
type Rules struct {
	// Index is the name that stands for a directory, "index.html".
	Index string
	// Dotfiles allows segments that begin with a dot, other than "." and "..".
	Dotfiles bool
}

// Path is a resolved path. Both slices share one buffer.
type Path struct {
	// Canonical is the decoded path: it begins with a slash and has no empty
	// and no dot segment. A trailing slash means a directory.
	Canonical []byte
	// File is the name to open, relative to the root. Where Canonical ends in
	// a slash it ends in Rules.Index.
	File []byte
}

// IsDir tells whether the path asks for a directory.
func (p Path) IsDir() bool { return p.Canonical[len(p.Canonical)-1] == '/' }

// Resolve decodes raw, the path of an origin-form target without its query,
// exactly once, and judges it. The result is appended to buf[:0]; with room
// for raw and the index name nothing is allocated. The Path is valid where the
// error is nil or ErrEmptySegment.
func (r Rules) Resolve(buf []byte, raw string) (Path, error) {
	if raw == "" || raw[0] != '/' {
		return Path{}, ErrMalformed
	}
	dst := append(buf[:0], '/')
	start := 1 // of the segment being read, in dst
	merged := false
	for i := 1; i < len(raw); i++ {
		c := raw[i]
		switch classes[c] {
		case plain:
			dst = append(dst, c)
		case slash:
			if len(dst) == start {
				merged = true
				continue
			}
			if err := r.judge(dst[start:]); err != nil {
				return Path{}, err
			}
			dst = append(dst, '/')
			start = len(dst)
		case percent:
			d, err := decode(raw[i:])
			if err != nil {
				return Path{}, err
			}
			dst = append(dst, d)
			i += 2
		default:
			return Path{}, ErrMalformed
		}
	}
	if err := r.judge(dst[start:]); err != nil {
		return Path{}, err
	}
	n := len(dst)
	if start == n {
		dst = append(dst, r.Index...)
	}
	p := Path{Canonical: dst[:n:n], File: dst[1:]}
	if merged {
		return p, ErrEmptySegment
	}
	return p, nil
}

// judge looks at one decoded segment.
func (r Rules) judge(segment []byte) error {
	if len(segment) == 0 || segment[0] != '.' {
		return nil
	}
	if len(segment) == 1 || (len(segment) == 2 && segment[1] == '.') {
		return ErrDotSegment
	}
	if !r.Dotfiles {
		return ErrHidden
	}
	return nil
}

// decode reads the escape that s begins with.
func decode(s string) (byte, error) {
	if len(s) < 3 {
		return 0, ErrMalformed
	}
	hi, lo := unhex(s[1]), unhex(s[2])
	if hi > 15 || lo > 15 {
		return 0, ErrMalformed
	}
	d := hi<<4 | lo
	switch {
	case d < 0x20 || d == 0x7f:
		return 0, ErrMalformed
	case d == '/' || d == '\\':
		return 0, ErrNoName
	}
	return d, nil
}

// unhex gives the digit's value, or 255.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// Escape appends path with every byte escaped that may not stand in a path
// (RFC 3986 §3.3), slashes kept.
func Escape(dst []byte, path []byte) []byte {
	const digits = "0123456789ABCDEF"
	for _, c := range path {
		if c == '/' || unescaped(c) {
			dst = append(dst, c)
			continue
		}
		dst = append(dst, '%', digits[c>>4], digits[c&15])
	}
	return dst
}

// unescaped tells the unreserved characters and the few others that need no
// escape in a path and mean nothing in HTML.
func unescaped(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	switch c {
	case '-', '.', '_', '~', '!', '$', '*', '+', ',', '=', ':', '@', '(', ')':
		return true
	}
	return false
}
