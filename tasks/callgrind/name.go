package callgrind

import (
	"bytes"
	"errors"
	"fmt"
)

const (
	pageSize  = 256
	maxNumber = 1<<22 - 1
)

// A nameTable holds the names of one kind by their numbers. Callgrind numbers
// what the process has, not what the file names, so a small file can hold large
// numbers; in pages, a damaged one cannot ask for much memory with them.
type nameTable struct {
	pages []*[pageSize]string
}

// at returns the place of a name, "" where there is none yet.
func (t *nameTable) at(n int) *string {
	page := n / pageSize
	if page >= len(t.pages) {
		t.pages = append(t.pages, make([]*[pageSize]string, page+1-len(t.pages))...)
	}
	if t.pages[page] == nil {
		t.pages[page] = new([pageSize]string)
	}
	return &t.pages[page][n%pageSize]
}

// parseName reads "(number) name", "(number)" for a name given before, or a
// name alone, as --compress-strings=no writes it. A name may itself start with
// a parenthesis: "(below main)".
func parseName(value []byte, numbered *nameTable) (string, error) {
	number, name, ok := cutNumber(value)
	if !ok {
		if len(value) == 0 {
			return "", errors.New("no name")
		}
		return string(value), nil
	}
	n, err := parseDecimal(number)
	if err != nil || n > maxNumber {
		return "", fmt.Errorf("the number of a name is %s, want at most %d", number, maxNumber)
	}
	known := numbered.at(int(n))
	if name == nil {
		if *known == "" {
			return "", fmt.Errorf("(%d) has no name yet", n)
		}
		return *known, nil
	}
	if *known != "" && *known != string(name) {
		return "", fmt.Errorf("(%d) is %q already", n, *known)
	}
	*known = string(name)
	return *known, nil
}

// cutNumber splits "(12) name"; name is nil where the number stands alone.
func cutNumber(value []byte) (number, name []byte, ok bool) {
	if len(value) < 3 || value[0] != '(' {
		return nil, nil, false
	}
	end := bytes.IndexByte(value, ')')
	if end < 2 {
		return nil, nil, false
	}
	for _, c := range value[1:end] {
		if c < '0' || c > '9' {
			return nil, nil, false
		}
	}
	number, rest := value[1:end], value[end+1:]
	if len(rest) == 0 {
		return number, nil, true
	}
	if rest[0] != ' ' || len(rest) == 1 {
		return nil, nil, false
	}
	return number, rest[1:], true
}
