// Package field reads the request fields that choose what a static resource
// answers: Accept-Encoding, Range, and the conditional ones. It allocates
// nothing and is pure.
package field

// Coding is a content coding (RFC 9110 §8.4.1).
type Coding uint8

// The codings, from the one preferred least to the one preferred most among
// equals.
const (
	Identity Coding = iota
	Gzip
	Zstd
	Brotli
	Codings // how many there are
)

// Name is the token of the coding as Content-Encoding has it.
func (c Coding) Name() string {
	switch c {
	case Gzip:
		return "gzip"
	case Zstd:
		return "zstd"
	case Brotli:
		return "br"
	}
	return "identity"
}

// Suffix is what a file's name gets for its coded form, with the dot.
func (c Coding) Suffix() string {
	switch c {
	case Gzip:
		return ".gz"
	case Zstd:
		return ".zst"
	case Brotli:
		return ".br"
	}
	return ""
}

// Accept holds a weight for each coding in thousandths: 0 is not acceptable.
// Identity that nobody mentioned weighs 1 where other codings start at 1000.
type Accept [Codings]uint16

// unmentioned marks a coding that the field has not named.
const unmentioned = 0xffff

// ParseAcceptEncoding reads the value of Accept-Encoding, several lines joined
// by commas (RFC 9110 §12.5.3). An empty value accepts identity alone. A
// member with a malformed weight is left out.
func ParseAcceptEncoding(value string) Accept {
	weights := Accept{unmentioned, unmentioned, unmentioned, unmentioned}
	others := uint16(unmentioned)
	for rest := value; rest != ""; {
		var name string
		var q uint16
		var ok bool
		name, q, ok, rest = nextMember(rest)
		if !ok {
			continue
		}
		if name == "*" {
			others = q
		} else if c := codingOf(name); c < Codings {
			weights[c] = q
		}
	}
	for c := range weights {
		switch {
		case weights[c] != unmentioned:
		case others != unmentioned:
			weights[c] = others
		case Coding(c) == Identity:
			weights[c] = 1
		default:
			weights[c] = 0
		}
	}
	return weights
}

// nextMember reads one member of the list up to its comma.
func nextMember(s string) (name string, q uint16, ok bool, rest string) {
	i := skipSpace(s, 0)
	start := i
	for i < len(s) && s[i] != ',' && s[i] != ';' && s[i] != ' ' && s[i] != '\t' {
		i++
	}
	name = s[start:i]
	i = skipSpace(s, i)
	q, ok = 1000, name != ""
	if i < len(s) && s[i] == ';' {
		var good bool
		q, i, good = weight(s, i+1)
		ok = ok && good
	}
	if i < len(s) && s[i] != ',' {
		ok = false
		for i < len(s) && s[i] != ',' {
			i++
		}
	}
	if i < len(s) {
		i++
	}
	return name, q, ok, s[i:]
}

// weight reads OWS "q=" qvalue OWS at i (RFC 9110 §12.4.2), in thousandths.
func weight(s string, i int) (q uint16, next int, ok bool) {
	i = skipSpace(s, i)
	if i+2 >= len(s) || s[i]|0x20 != 'q' || s[i+1] != '=' || s[i+2]&^1 != '0' {
		return 0, i, false
	}
	q = uint16(s[i+2]-'0') * 1000
	i += 3
	if i < len(s) && s[i] == '.' {
		i++
		for place := uint16(100); place > 0 && i < len(s) && isDigit(s[i]); place /= 10 {
			q += uint16(s[i]-'0') * place
			i++
		}
	}
	return q, skipSpace(s, i), q <= 1000
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// codingOf knows the names in any case, and x-gzip (RFC 9110 §8.4.1.3). It
// gives Codings for a name that it does not know.
func codingOf(name string) Coding {
	switch len(name) {
	case 2:
		if equalFold(name, "br") {
			return Brotli
		}
	case 4:
		if equalFold(name, "gzip") {
			return Gzip
		}
		if equalFold(name, "zstd") {
			return Zstd
		}
	case 6:
		if equalFold(name, "x-gzip") {
			return Gzip
		}
	case 8:
		if equalFold(name, "identity") {
			return Identity
		}
	}
	return Codings
}

// equalFold compares s with a lower-case ASCII word of the same length.
func equalFold(s, word string) bool {
	for i := 0; i < len(word); i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// Choose picks the coding with the greatest weight among those available, a
// bit each (1<<Coding); of equals, the one preferred most. It is false where
// none of them is acceptable.
func (a Accept) Choose(available uint8) (Coding, bool) {
	best, found := Identity, false
	for c := Identity; c < Codings; c++ {
		if available&(1<<c) == 0 || a[c] == 0 {
			continue
		}
		if !found || a[c] >= a[best] {
			best, found = c, true
		}
	}
	return best, found
}
