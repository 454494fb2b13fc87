package field

import "math"

// Range is a part of a representation, in bytes.
type Range struct{ Start, Length int64 }

// RangeOutcome is what the value of a Range field asks for.
type RangeOutcome uint8

const (
	// RangeIgnored: the field is malformed, of another unit, has too many
	// members, or asks for no less than everything. The answer is 200.
	RangeIgnored RangeOutcome = iota
	// RangeSatisfiable: the answer is 206.
	RangeSatisfiable
	// RangeUnsatisfiable: no member lies within the content. The answer is 416.
	RangeUnsatisfiable
)

// ParseRange reads the value of Range against a content of size bytes and
// appends the parts that lie within it to dst, in the order asked (RFC 9110
// §14.1.2). More than max members, or members that together are longer than
// the content, as overlapping ones are, make the field ignored (§14.2).
func ParseRange(dst []Range, value string, size int64, max int) ([]Range, RangeOutcome) {
	const unit = "bytes="
	if len(value) < len(unit) || !equalFold(value[:len(unit)], unit) {
		return dst, RangeIgnored
	}
	base, members, sum := len(dst), 0, int64(0)
	for i := len(unit); i < len(value); {
		i = skipSpace(value, i)
		if i < len(value) && value[i] == ',' {
			i++
			continue
		}
		if i == len(value) {
			break
		}
		first, last, next, ok := rangeSpec(value, i)
		members++
		if !ok || members > max {
			return dst[:base], RangeIgnored
		}
		i = next
		if r, within := clip(first, last, size); within {
			dst = append(dst, r)
			sum += r.Length
		}
		if sum > size {
			return dst[:base], RangeIgnored
		}
	}
	switch {
	case members == 0:
		return dst, RangeIgnored
	case len(dst) == base:
		return dst, RangeUnsatisfiable
	}
	return dst, RangeSatisfiable
}

// rangeSpec reads one member at i up to its comma. A missing number is -1.
func rangeSpec(s string, i int) (first, last int64, next int, ok bool) {
	first, i = number(s, i)
	if i == len(s) || s[i] != '-' {
		return 0, 0, i, false
	}
	last, i = number(s, i+1)
	i = skipSpace(s, i)
	if i < len(s) && s[i] != ',' {
		return 0, 0, i, false
	}
	ok = first >= 0 || last >= 0
	if first >= 0 && last >= 0 && last < first {
		ok = false
	}
	return first, last, i, ok
}

// number reads digits at i; what does not fit becomes the greatest int64,
// which lies past the end of any file.
func number(s string, i int) (int64, int) {
	if i == len(s) || !isDigit(s[i]) {
		return -1, i
	}
	n := int64(0)
	for ; i < len(s) && isDigit(s[i]); i++ {
		d := int64(s[i] - '0')
		if n > (math.MaxInt64-d)/10 {
			n = math.MaxInt64
			continue
		}
		n = n*10 + d
	}
	return n, i
}

// clip gives the part of the content that a member asks for, if any.
func clip(first, last, size int64) (Range, bool) {
	if first < 0 { // the last bytes of the content
		if last == 0 || size == 0 {
			return Range{}, false
		}
		last = min(last, size)
		return Range{Start: size - last, Length: last}, true
	}
	if first >= size {
		return Range{}, false
	}
	if last < 0 || last >= size {
		last = size - 1
	}
	return Range{Start: first, Length: last - first + 1}, true
}
