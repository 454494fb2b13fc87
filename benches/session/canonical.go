package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// CanonicalJSON returns the one spelling that RFC 8785 (JCS) gives to a JSON
// value: no white space, members sorted by the UTF-16 code units of their names,
// numbers as ECMAScript prints a double, the shortest escapes. Texts that mean
// the same value so become the same bytes, fit to be compared or hashed.
//
// The input must be I-JSON (RFC 7493): valid UTF-8, no name twice in an object,
// no lone surrogate, no number beyond a double. Errors name the byte offset.
func CanonicalJSON(data []byte) ([]byte, error) {
	if at := firstInvalidUTF8(data); at >= 0 {
		return nil, fmt.Errorf("canonical json: offset %d: invalid UTF-8", at)
	}
	// The standard library judges the grammar and the depth; what is left to
	// parser are the rules that I-JSON adds to them.
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("canonical json: offset %d: %w", syntaxOffset(err), err)
	}
	p := parser{text: data}
	root, err := p.value()
	if err != nil {
		return nil, fmt.Errorf("canonical json: %w", err)
	}
	return appendValue(make([]byte, 0, len(data)), root), nil
}

// firstInvalidUTF8 returns the offset of the first byte that is not part of a
// valid sequence, or -1.
func firstInvalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	at := 0
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

// appendValue prints a value made by parser.
func appendValue(dst []byte, value any) []byte {
	switch value := value.(type) {
	case bool:
		return strconv.AppendBool(dst, value)
	case float64:
		return appendNumber(dst, value)
	case string:
		return appendString(dst, value)
	case []any:
		dst = append(dst, '[')
		for i, element := range value {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, element)
		}
		return append(dst, ']')
	case object:
		dst = append(dst, '{')
		for i, member := range value {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, member.name), ':')
			dst = appendValue(dst, member.value)
		}
		return append(dst, '}')
	default:
		return append(dst, "null"...)
	}
}

// appendNumber prints f as ECMAScript's Number::toString does (ECMA-262, section
// 6.1.6.1.20), which RFC 8785 section 3.2.2.3 asks for. strconv finds the same
// shortest digits; the two differ in when an exponent is used and in its padding.
func appendNumber(dst []byte, f float64) []byte {
	size := math.Abs(f)
	if f == 0 {
		return append(dst, '0') // minus zero has no sign
	}
	if size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// strconv pads the exponent to two digits, so that e-7 comes as e-07.
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// appendString prints s with the escapes of RFC 8785 section 3.2.2.2: only what
// JSON demands, the two-character form where there is one.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	plain := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[plain:i]...)
		plain = i + 1
		if short := shortEscape(c); short != 0 {
			dst = append(dst, '\\', short)
		} else {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
	}
	dst = append(dst, s[plain:]...)
	return append(dst, '"')
}

func shortEscape(c byte) byte {
	switch c {
	case '"', '\\':
		return c
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}

// sortMembers orders an object's members, and returns a name that stands twice.
func sortMembers(members object) (twice string, found bool) {
	slices.SortFunc(members, func(a, b member) int { return compareUTF16(a.name, b.name) })
	for i := 1; i < len(members); i++ {
		if members[i].name == members[i-1].name {
			return members[i].name, true
		}
	}
	return "", false
}

// compareUTF16 orders two valid UTF-8 strings by their UTF-16 code units (RFC
// 8785 section 3.2.3). That is the order of the bytes, but for one case: the
// surrogates D800-DFFF, which spell U+10000 and above, sort below U+E000-U+FFFF.
func compareUTF16(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n {
		return cmp.Compare(len(a), len(b))
	}
	// The lead bytes F0-F4 stand for surrogate pairs, EE and EF for U+E000 and
	// above. Where the first difference is inside a sequence, both strings share
	// its lead byte and the order of bytes holds.
	return cmp.Compare(leadRank(a[i]), leadRank(b[i]))
}

func leadRank(c byte) int {
	if c == 0xee || c == 0xef {
		return int(c) + 0x100
	}
	return int(c)
}
