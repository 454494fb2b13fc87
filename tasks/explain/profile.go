// Package explain tells which functions moved between two callgrind profiles, and
// makes pprof profiles and flame graphs of them. It is pure: profiles in, tables and
// files out.
//
// All costs are instructions (Ir), and exact: what a table or a graph shows adds up to
// the total of the profile, or to the difference of two.
package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/perfpin/perfpin/tasks/callgrind"
	"github.com/perfpin/perfpin/tasks/explain/symbols"
)

// A Location is one place in a program: the function there, and what it is inlined
// into. The innermost function is the first.
type Location []symbols.Frame

// A Cost is the instructions that were executed at the end of one stack.
type Cost struct {
	// Stack is where, and from where that was called, the callers last. It has one
	// element where callers are not looked at.
	Stack []Location
	Ir    int64
}

// Function returns the function whose source code the cost is of.
func (c Cost) Function() string { return c.Stack[0][0].Function }

// A Profile is what one benchmark cost, by place.
type Profile struct {
	// Bench is the benchmark's key, and Iters how many of its operations were counted.
	Bench string
	Iters int64
	Costs []Cost
}

// Total returns the instructions of all costs.
func (p Profile) Total() int64 {
	var sum int64
	for _, c := range p.Costs {
		sum += c.Ir
	}
	return sum
}

// Programs holds the symbols of programs by the names that profiles have of them, in
// Function.Object. What is not in it keeps what callgrind says.
type Programs map[string]*symbols.Table

// Check refuses a profile, called name, of other programs: nothing in it could be told
// by the symbols.
func (p Programs) Check(name string, functions []*callgrind.Function) error {
	objects := make(map[string]bool)
	for _, fn := range functions {
		if p[fn.Object] != nil {
			return nil
		}
		objects[fn.Object] = true
	}
	if len(p) == 0 || len(functions) == 0 {
		return nil
	}
	return fmt.Errorf("%s: is of %q, want %q", name, slices.Sorted(maps.Keys(objects)), slices.Sorted(maps.Keys(p)))
}

// Resolve returns the self costs of functions, by the place in the source code. files
// is Profile.Files of their profile.
//
// Where the profile has no addresses, or a program is not among the known ones,
// inlined code counts for the function that holds it.
func Resolve(functions []*callgrind.Function, files []string, programs Programs) []Cost {
	r := resolver{files: files, programs: programs}
	var costs merger
	for _, fn := range functions {
		for _, c := range fn.Costs {
			costs.add([]Location{r.locate(fn, c)}, c.Ir)
		}
	}
	return costs.costs
}

type resolver struct {
	files    []string
	programs Programs
}

func (r resolver) locate(fn *callgrind.Function, c callgrind.Cost) Location {
	if table := r.programs[fn.Object]; table != nil && c.Addr != 0 {
		if frames := table.Frames(c.Addr); frames != nil && frames[0].Function != "" {
			return frames
		}
	}
	file := r.files[c.File]
	if file == "???" {
		file = ""
	}
	return Location{{Function: fn.Name, File: file, Line: int(c.Line)}}
}

// A merger adds up costs of the same stack.
type merger struct {
	costs []Cost
	known map[string]int
}

func (m *merger) add(stack []Location, ir int64) {
	if ir == 0 {
		return
	}
	var key strings.Builder
	for _, location := range stack {
		for _, f := range location {
			fmt.Fprintf(&key, "%s\x00%s\x00%d\x00", f.Function, f.File, f.Line)
		}
		key.WriteByte('\x01')
	}
	if m.known == nil {
		m.known = make(map[string]int)
	}
	at, ok := m.known[key.String()]
	if !ok {
		at = len(m.costs)
		m.known[key.String()] = at
		m.costs = append(m.costs, Cost{Stack: stack})
	}
	m.costs[at].Ir += ir
}
