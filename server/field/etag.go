package field

// MatchesWeak tells whether the value of If-None-Match names etag, by the weak
// comparison (RFC 9110 §8.8.3.2), or is "*". The etag has its quotes and may
// begin with W/.
func MatchesWeak(list, etag string) bool {
	if list == etag {
		return true
	}
	return matches(list, opaque(etag), false)
}

// MatchesStrong tells whether the value of If-Match names etag by the strong
// comparison, or is "*".
func MatchesStrong(list, etag string) bool {
	if list == "*" {
		return true
	}
	return !isWeak(etag) && matches(list, etag, true)
}

// EqualStrong compares two single entity tags, as If-Range has it.
func EqualStrong(a, b string) bool { return a == b && !isWeak(a) }

func isWeak(etag string) bool { return len(etag) >= 2 && etag[:2] == "W/" }

func opaque(etag string) string {
	if isWeak(etag) {
		return etag[2:]
	}
	return etag
}

// matches walks a list of entity tags. What follows a member that is none is
// not read: a tag may hold commas, so there is no telling where the next one
// begins.
func matches(list, tag string, strong bool) bool {
	for i := 0; ; {
		for i < len(list) && (list[i] == ' ' || list[i] == '\t' || list[i] == ',') {
			i++
		}
		if i < len(list) && list[i] == '*' {
			return skipSpace(list, i+1) == len(list)
		}
		weak := i+1 < len(list) && list[i] == 'W' && list[i+1] == '/'
		if weak {
			i += 2
		}
		end := tagEnd(list, i)
		if end < 0 {
			return false
		}
		if list[i:end] == tag && !(strong && weak) {
			return true
		}
		i = end
	}
}

// tagEnd gives the end of the quoted tag at i, or -1 (RFC 9110 §8.8.3).
func tagEnd(s string, i int) int {
	if i >= len(s) || s[i] != '"' {
		return -1
	}
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1
		case c < 0x21 || c == 0x7f:
			return -1
		}
	}
	return -1
}
