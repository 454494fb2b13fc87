// Package coverage measures which statements of a module its tests reach, in two
// tiers: in the test processes themselves (unit), and in the programs that tests build
// and run (end to end), which write what they reach where GOCOVERDIR says.
package coverage

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Block is a piece of code that runs as a whole.
type Block struct {
	// File is its import path and name, as "example.com/m/wire/wire.go".
	File string
	// Range is where it is in the file, as the profile has it: "12.34,14.2".
	Range      string
	Statements int
}

// A Profile tells of each block whether it was reached.
type Profile map[Block]bool

// Parse reads a profile in the text format that `go tool covdata textfmt` writes: a
// line of the mode, and then one a block, "FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS
// COUNT" (golang.org/x/tools/cover has the same). A block that stands twice was reached
// when it was one of the times. The name stands in errors, with the line.
func Parse(name string, data []byte) (Profile, error) {
	p := Profile{}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		text := strings.TrimSuffix(string(line), "\n")
		if number == 1 {
			if !strings.HasPrefix(text, "mode: ") {
				return nil, fmt.Errorf("%s:1: is no coverage profile: got %q, want a line \"mode: …\"", name, text)
			}
			continue
		}
		block, reached, err := parseBlock(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		p[block] = p[block] || reached
	}
	return p, nil
}

func parseBlock(text string) (b Block, reached bool, err error) {
	fail := func(what string) (Block, bool, error) {
		return Block{}, false, fmt.Errorf("%s: got %q, want FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT", what, text)
	}
	// A file's name may hold blanks and colons; what comes after it does not.
	rest, count, found := cutLast(text, " ")
	if !found {
		return fail("no count")
	}
	rest, statements, found := cutLast(rest, " ")
	if !found {
		return fail("no number of statements")
	}
	if b.File, b.Range, found = cutLast(rest, ":"); !found || b.File == "" || b.Range == "" {
		return fail("no range")
	}
	if b.Statements, err = strconv.Atoi(statements); err != nil || b.Statements < 0 {
		return fail("bad number of statements")
	}
	n, err := strconv.ParseUint(count, 10, 64)
	if err != nil {
		return fail("bad count")
	}
	return b, n > 0, nil
}

func cutLast(s, separator string) (before, after string, found bool) {
	at := strings.LastIndex(s, separator)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(separator):], true
}

// Reached counts the statements of a package: those that each tier reaches, and both.
type Reached struct {
	Package                          string
	Statements, Unit, EndToEnd, Both int
}

// Join puts two tiers beside each other, package by package, sorted. Code that only one
// tier has was not reached by the other.
func Join(unit, endToEnd Profile) []Reached {
	packages := make(map[string]*Reached)
	add := func(b Block, inUnit, inEndToEnd bool) {
		name := path.Dir(b.File)
		r := packages[name]
		if r == nil {
			r = &Reached{Package: name}
			packages[name] = r
		}
		r.Statements += b.Statements
		if inUnit {
			r.Unit += b.Statements
		}
		if inEndToEnd {
			r.EndToEnd += b.Statements
		}
		if inUnit && inEndToEnd {
			r.Both += b.Statements
		}
	}
	for b, reached := range unit {
		add(b, reached, endToEnd[b])
	}
	for b, reached := range endToEnd {
		if _, known := unit[b]; !known {
			add(b, false, reached)
		}
	}
	var all []Reached
	for _, r := range packages {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b Reached) int { return cmp.Compare(a.Package, b.Package) })
	return all
}
