package explain

import (
	"cmp"
	"slices"
	"strings"
)

// A Move is how far the cost of one function moved between two profiles.
type Move struct {
	Function string
	// Base and Head are the instructions of its own code, wherever that is inlined; 0
	// where it did not run.
	Base, Head int64
	// Into is the function that all of its code is inlined into, "" where there is none
	// or more than one.
	Into string
}

// Delta returns how many instructions more it cost.
func (m Move) Delta() int64 { return m.Head - m.Base }

// Compare returns the functions whose cost moved, the largest move first. The sum of
// their Delta is the difference of the profiles' totals.
func Compare(base, head Profile) []Move {
	functions := make(map[string]*tally)
	for _, c := range base.Costs {
		look(functions, c).Base += c.Ir
	}
	for _, c := range head.Costs {
		look(functions, c).Head += c.Ir
	}
	var moves []Move
	for _, t := range functions {
		if t.Delta() == 0 {
			continue
		}
		if len(t.holders) == 1 && t.holders[0] != t.Function {
			t.Into = t.holders[0]
		}
		moves = append(moves, t.Move)
	}
	slices.SortFunc(moves, func(a, b Move) int {
		return cmp.Or(cmp.Compare(abs(b.Delta()), abs(a.Delta())), strings.Compare(a.Function, b.Function))
	})
	return moves
}

// A tally is a Move in the making, with the functions that hold its code.
type tally struct {
	Move
	holders []string
}

func look(functions map[string]*tally, c Cost) *tally {
	name := unhash(c.Function())
	t := functions[name]
	if t == nil {
		t = &tally{Move: Move{Function: name}}
		functions[name] = t
	}
	place := c.Stack[0]
	if holder := place[len(place)-1].Function; !slices.Contains(t.holders, holder) {
		t.holders = append(t.holders, holder)
	}
	return t
}

// unhash takes out of the name of a cgo wrapper what stands for its file's text: it is
// another after any change of it, and the function the same.
func unhash(name string) string {
	const prefix, digits = "_cgo_", 12
	rest, found := strings.CutPrefix(name, prefix)
	if !found || len(rest) <= digits || rest[digits] != '_' || strings.Trim(rest[:digits], "0123456789abcdef") != "" {
		return name
	}
	return prefix + rest[digits+1:]
}

func abs(n int64) int64 { return max(n, -n) }
