package callgrind

import (
	"bytes"
	"errors"
	"fmt"
	"math"
)

var (
	errOverflow = errors.New("number too large")
	errNumber   = errors.New("want a decimal number")
)

// A position is where a cost arose.
type position struct {
	addr uint64
	line uint32
}

// parsePosition reads the subpositions that a line starts with, and returns
// what follows the space after them.
func parsePosition(text []byte, cols columns, last position) (position, []byte, error) {
	pos := position{}
	var err error
	if cols.instr {
		field, rest := cutField(text)
		if pos.addr, err = parseSubposition(field, last.addr, true); err != nil {
			return pos, nil, fmt.Errorf("address %q: %w", field, err)
		}
		text = rest
	}
	if cols.line {
		field, rest := cutField(text)
		line, err := parseSubposition(field, uint64(last.line), false)
		if err == nil && line > math.MaxUint32 {
			err = errOverflow
		}
		if err != nil {
			return pos, nil, fmt.Errorf("line %q: %w", field, err)
		}
		pos.line = uint32(line)
		text = rest
	}
	return pos, text, nil
}

func cutField(text []byte) (field, rest []byte) {
	for i, c := range text {
		if c == ' ' {
			return text[:i], text[i+1:]
		}
	}
	return text, nil
}

// parseSubposition reads one number, or its distance from the last one: "+3",
// "-3", or "*" for the same. Absolute addresses are hexadecimal, lines decimal.
func parseSubposition(field []byte, last uint64, hex bool) (uint64, error) {
	if len(field) == 0 {
		return 0, errNumber
	}
	switch field[0] {
	case '*':
		if len(field) > 1 {
			return 0, errNumber
		}
		return last, nil
	case '+', '-':
		distance, err := parseDecimal(field[1:])
		if err != nil {
			return 0, err
		}
		sum := last + uint64(distance)
		if field[0] == '-' {
			sum = last - uint64(distance)
		}
		if (field[0] == '+') != (sum >= last) && distance != 0 {
			return 0, fmt.Errorf("%s from %d leaves the range", field, last)
		}
		return sum, nil
	}
	if !hex {
		n, err := parseDecimal(field)
		return uint64(n), err
	}
	digits, ok := bytes.CutPrefix(field, []byte("0x"))
	if !ok {
		return 0, errors.New("want 0x and hexadecimal digits")
	}
	return parseHex(digits)
}

// parseCosts reads 1 to most numbers into costs[:0].
func parseCosts(text []byte, costs []int64, most int) ([]int64, error) {
	costs = costs[:0]
	for more := true; more; {
		var field []byte
		if more = bytes.IndexByte(text, ' ') >= 0; more {
			field, text = cutField(text)
		} else {
			field = text
		}
		n, err := parseDecimal(field)
		if err != nil {
			return costs, fmt.Errorf("cost %q: %w", field, err)
		}
		if len(costs) == most {
			return costs, fmt.Errorf("more costs than the %d events", most)
		}
		costs = append(costs, n)
	}
	return costs, nil
}

func parseDecimal(digits []byte) (int64, error) {
	if len(digits) == 0 {
		return 0, errNumber
	}
	var n int64
	for _, c := range digits {
		d := int64(c - '0')
		if c < '0' || c > '9' {
			return 0, errNumber
		}
		if n > (math.MaxInt64-d)/10 {
			return 0, errOverflow
		}
		n = n*10 + d
	}
	return n, nil
}

func parseHex(digits []byte) (uint64, error) {
	if len(digits) == 0 || len(digits) > 16 {
		return 0, errors.New("want 1 to 16 hexadecimal digits")
	}
	var n uint64
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uint64(c-'a'+10)
		default:
			return 0, errors.New("want lower-case hexadecimal digits")
		}
	}
	return n, nil
}

func parseID(value string) (int, error) {
	n, err := parseDecimal([]byte(value))
	if err != nil {
		return 0, fmt.Errorf("%q: %w", value, err)
	}
	return int(n), nil
}

func add(a, b int64) (int64, error) {
	if a > math.MaxInt64-b {
		return 0, errOverflow
	}
	return a + b, nil
}
