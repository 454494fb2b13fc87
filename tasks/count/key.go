package count

import (
	"strings"
	"unicode"
)

// SplitKey splits the key of a bench, "path/of/package.Name/sub", into the package's
// path and the name; the path is "" for a module's root. Both may hold dots and
// slashes: the name starts behind the first dot that an identifier follows up to the
// next slash, and Go names no benchmark with a small first letter (cmd/go, "Testing
// functions").
func SplitKey(key string) (pkg, name string) {
	start := 0
	for _, segment := range strings.SplitAfter(key, "/") {
		dot := strings.LastIndexByte(segment, '.')
		rest := strings.TrimSuffix(segment[dot+1:], "/")
		if dot >= 0 && isBenchName(rest) {
			return key[:start+dot], key[start+dot+1:]
		}
		start += len(segment)
	}
	return "", key
}

func isBenchName(name string) bool {
	for i, r := range name {
		if i == 0 && unicode.IsLower(r) || r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}
