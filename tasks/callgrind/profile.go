// Package callgrind reads the callgrind.out format: bytes in, a Profile or an
// error with file and line out. It does no I/O.
//
// The reader accepts what valgrind 3.19 to 3.27 writes (callgrind/dump.c) and
// nothing else: an unknown line is an error, because a line that is not
// understood may carry cost that is then not counted. The format is described
// in the Valgrind manual, chapter "Callgrind Format Specification". Not
// accepted: --dump-bb=yes, --dump-bbs=yes and --mangle-names=no, which add
// columns and lines that nothing here needs.
//
// A file holds one or more parts. Each part ends in a "totals:" line, and
// that line is checked against the sum of the part's own self costs, for every
// event.
package callgrind

import (
	"cmp"
	"slices"
)

// A Profile is what one callgrind.out file says.
type Profile struct {
	Parts []*Part
	// Files holds the names of the source files, as the debug information has
	// them ("???" where there is none); Cost.File and Call.File index it.
	Files []string
}

// A Part is one dump: of the whole process, or of one thread when callgrind
// ran with --separate-threads=yes.
type Part struct {
	Creator string // "callgrind-3.19.0"
	PID     int
	Cmd     string // the command line, as callgrind joined it
	Number  int    // the part's number, from 1; 0 where the file does not say
	Thread  int    // from 1; 0 unless --separate-threads=yes
	Desc    []string
	Events  []string // event names; the first is always Ir

	// Summary is the Ir of the "summary:" line: what the threads' counters said
	// when the dump was made. It can exceed Total, so it is told and not used.
	Summary int64
	// Total is the Ir of the "totals:" line, equal to the sum of the Self of
	// all Functions.
	Total int64
	// Functions stands in the order of the file. A function that is only
	// called, and has no cost of its own here, is among them.
	Functions []*Function
}

// A Function is one function of one part. Object, File and Name together tell
// it apart: callgrind attributes code that is inlined to the function that
// holds it, and names the inlined code's file in Costs.
type Function struct {
	Object string // the mapped ELF file, "" where the part does not say
	File   string
	Name   string
	Self   int64 // Ir of the function's own instructions, inlined code included
	Costs  []Cost
	Calls  []Call
}

// A Cost is the self cost of one position in a Function. The same position can
// stand in several Costs.
type Cost struct {
	File int32  // index into Profile.Files; differs from the Function's own for inlined code
	Line uint32 // 0 where it is not known
	Addr uint64 // 0 unless --dump-instr=yes
	Ir   int64
}

// A Call is the calls from one position in a Function to another function.
type Call struct {
	Callee *Function // in the same Part
	File   int32     // the position of the call, as in Cost
	Line   uint32
	Addr   uint64
	Count  int64
	// Inclusive is the Ir of the callee and all that it called. It is wrong
	// where the program switches stacks, as a Go scheduler does: callgrind
	// takes a switch for a return.
	Inclusive int64
}

// Total returns the Ir of all parts.
func (p *Profile) Total() int64 {
	var sum int64
	for _, part := range p.Parts {
		sum += part.Total
	}
	return sum
}

// Self returns the self cost in Ir of the functions with this name, over all
// parts, objects and files; 0 where there is none.
func (p *Profile) Self(name string) int64 {
	var sum int64
	for _, part := range p.Parts {
		sum += part.Self(name)
	}
	return sum
}

// Self returns the self cost in Ir of the part's functions with this name.
func (p *Part) Self(name string) int64 {
	var sum int64
	for _, fn := range p.Functions {
		if fn.Name == name {
			sum += fn.Self
		}
	}
	return sum
}

// Functions returns the functions of all parts, those that are the same in
// several parts joined, the largest Self first and equal ones by name, file
// and object. The sum of Self is Total. They are copies, except that a Call's
// Callee still points into its part.
func (p *Profile) Functions() []*Function {
	type key struct{ object, file, name string }
	joined := make(map[key]*Function)
	var all []*Function
	for _, part := range p.Parts {
		for _, fn := range part.Functions {
			k := key{fn.Object, fn.File, fn.Name}
			sum := joined[k]
			if sum == nil {
				sum = &Function{Object: fn.Object, File: fn.File, Name: fn.Name}
				joined[k] = sum
				all = append(all, sum)
			}
			sum.Self += fn.Self
			sum.Costs = append(sum.Costs, fn.Costs...)
			sum.Calls = append(sum.Calls, fn.Calls...)
		}
	}
	slices.SortFunc(all, func(a, b *Function) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Object, b.Object))
	})
	return all
}
