package count

import (
	"strings"

	"github.com/perfpin/perfpin/tasks/callgrind"
)

// CountedContexts returns the functions of a profile that was taken with
// --separate-callers, those that Counted leaves out left out, and not joined: one
// function has as many entries as ways on which it was called. Name is the
// function's alone, without its callers.
//
// The profile is changed. The Callee of a Call still points to an entry.
func CountedContexts(p *callgrind.Profile) []*callgrind.Function {
	var functions []*callgrind.Function
	for _, part := range p.Parts {
		for _, fn := range part.Functions {
			// callgrind/fn.c parts callers by an apostrophe.
			fn.Name, _, _ = strings.Cut(fn.Name, "'")
		}
	}
	for _, part := range countedParts(p) {
		for _, fn := range part.Functions {
			if isCounted(fn.Name) {
				functions = append(functions, fn)
			}
		}
	}
	return functions
}
