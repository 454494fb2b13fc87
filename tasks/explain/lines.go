package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A LineMove is how far the cost of one source line moved.
type LineMove struct {
	File string
	Line int
	// Text is the line without the blanks around it, "" where there is no source.
	Text string
	// Base and Head are the instructions of the line's own code.
	Base, Head int64
}

// Delta returns how many instructions more it cost.
func (m LineMove) Delta() int64 { return m.Head - m.Base }

// A Source returns a line of a source file, without its line feed; false where there
// is no such line.
type Source func(file string, line int) (string, bool)

// CompareLines returns the source lines of one function whose cost moved, the largest
// move first. Lines have other numbers where something is inserted before them, so
// that they are told apart by their text: lines of a function with the same text count
// together, and have the number of the first of them in head, or else in base.
func CompareLines(base, head Profile, function string, baseSource, headSource Source) []LineMove {
	moves := make(map[string]*LineMove)
	add := func(p Profile, source Source, side func(*LineMove) *int64) {
		seen := make(map[string]bool)
		for _, c := range p.Costs {
			if c.Function() != function {
				continue
			}
			at := c.Stack[0][0]
			text, ok := source(at.File, at.Line)
			key := strings.TrimSpace(text)
			if !ok {
				key = fmt.Sprintf("%s:%d", at.File, at.Line)
				text = ""
			}
			m := moves[key]
			if m == nil {
				m = &LineMove{Text: strings.TrimSpace(text)}
				moves[key] = m
			}
			if !seen[key] || at.Line < m.Line {
				m.File, m.Line = at.File, at.Line
			}
			seen[key] = true
			*side(m) += c.Ir
		}
	}
	add(base, baseSource, func(m *LineMove) *int64 { return &m.Base })
	add(head, headSource, func(m *LineMove) *int64 { return &m.Head })
	var moved []LineMove
	for _, m := range moves {
		if m.Delta() != 0 {
			moved = append(moved, *m)
		}
	}
	slices.SortFunc(moved, func(a, b LineMove) int {
		return cmp.Or(cmp.Compare(abs(b.Delta()), abs(a.Delta())), cmp.Compare(a.Line, b.Line), strings.Compare(a.Text, b.Text))
	})
	return moved
}
