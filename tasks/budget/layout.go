package budget

import (
	"bytes"
	"slices"
	"sort"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A layout tells where in the text the things stand that Edit changes.
type layout struct {
	data   []byte
	starts []int // offset of each line
	// pins holds the spans of pins that are written under [budgets]; fields
	// those of [pinned].
	pins   map[string]span
	fields map[string]span
	// headers holds the line on which each table's header stands, from 1.
	headers map[string]int
	// lastField is the last line of a key under [pinned], 0 where there is none.
	lastField int
}

// A span is where one "key = value" stands.
type span struct {
	// first and last are the lines that it covers, from 1.
	first, last int
	// value and end bound the value's text: data[value:end].
	value, end int
	// direct tells that it is an expression of its own with a key of one part.
	direct bool
}

// wholeLine tells whether the expression can be replaced or removed by line.
func (s span) wholeLine() bool { return s.direct && s.first == s.last }

func newLayout(data []byte) layout {
	l := layout{
		data:    data,
		starts:  []int{0},
		pins:    make(map[string]span),
		fields:  make(map[string]span),
		headers: make(map[string]int),
	}
	for i, c := range data {
		if c == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// lineAt returns the number of the line that an offset is on, from 1.
func (l *layout) lineAt(offset int) int {
	return sort.SearchInts(l.starts, offset+1)
}

// lineStart returns the offset at which a line starts; that of the end of the
// file for the line after the last.
func (l *layout) lineStart(line int) int {
	if line > len(l.starts) {
		return len(l.data)
	}
	return l.starts[line-1]
}

// span returns where an expression stands whose key ends at keyEnd.
func (l *layout) span(keyEnd int, expression unstable.Range) span {
	end := int(expression.Offset + expression.Length)
	start := keyEnd + bytes.IndexByte(l.data[keyEnd:end], '=') + 1
	for start < end && (l.data[start] == ' ' || l.data[start] == '\t') {
		start++
	}
	return span{
		first: l.lineAt(int(expression.Offset)), last: l.lineAt(end - 1),
		value: start, end: end,
	}
}

// newline returns the line ending that the file uses.
func (l *layout) newline() string {
	if end := bytes.IndexByte(l.data, '\n'); end > 0 && l.data[end-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// benches returns the pins that stand in a line under [budgets], sorted.
func (l *layout) benches() []string {
	var all []string
	for bench, span := range l.pins {
		if span.wholeLine() {
			all = append(all, bench)
		}
	}
	slices.Sort(all)
	return all
}
