package explain

import (
	"strings"

	"github.com/perfpin/perfpin/tasks/callgrind"
)

// Unknown stands at the end of a stack whose further callers are not known.
const Unknown = "(caller unknown)"

// Stacks is Resolve with callers. functions are those of a profile taken with
// --separate-callers and --dump-instr=yes, one entry for each way of being called.
//
// Callgrind follows calls by the stack pointer, and takes a switch between goroutines
// for calls and returns. A caller is believed where it is the only one of an entry and
// the instruction that led from it is a call of that very function; a stack whose end
// is not the benchmark, or the start of the program, has Unknown there.
func Stacks(functions []*callgrind.Function, files []string, programs Programs) []Cost {
	s := stacker{
		resolver: resolver{files: files, programs: programs},
		arcs:     make(map[*callgrind.Function][]arc),
	}
	for _, fn := range functions {
		for _, call := range fn.Calls {
			// Recursion is folded into one entry.
			if call.Callee != fn {
				s.arcs[call.Callee] = append(s.arcs[call.Callee], arc{fn, call})
			}
		}
	}
	var costs merger
	for _, fn := range functions {
		callers := s.callers(fn)
		for _, c := range fn.Costs {
			costs.add(append([]Location{s.locate(fn, c)}, callers...), c.Ir)
		}
	}
	return costs.costs
}

type stacker struct {
	resolver
	arcs map[*callgrind.Function][]arc // into a function
}

// An arc is a call and the function that calls.
type arc struct {
	caller *callgrind.Function
	call   callgrind.Call
}

// callers returns where fn was called from, the nearest first.
func (s stacker) callers(fn *callgrind.Function) []Location {
	var stack []Location
	seen := map[*callgrind.Function]bool{fn: true}
	for {
		caller, at, ok := s.caller(fn)
		if !ok || seen[caller] {
			break
		}
		seen[caller] = true
		stack = append(stack, at)
		fn = caller
	}
	if !isRoot(fn.Name) {
		stack = append(stack, Location{{Function: Unknown}})
	}
	return stack
}

// caller returns the only caller of an entry, and the place of the call; without
// a line where there are several places.
func (s stacker) caller(fn *callgrind.Function) (*callgrind.Function, Location, bool) {
	arcs := s.arcs[fn]
	if len(arcs) == 0 {
		return nil, nil, false
	}
	caller, address := arcs[0].caller, arcs[0].call.Addr
	table := s.programs[caller.Object]
	// What runtime.mcall calls, on the scheduler's stack, is no part of the goroutine.
	if table == nil || fn.Object != caller.Object || len(fn.Costs) == 0 || strings.HasPrefix(caller.Name, "runtime.mcall") {
		return nil, nil, false
	}
	for _, a := range arcs {
		if a.caller != caller || !table.Calls(a.call.Addr, fn.Costs[0].Addr) {
			return nil, nil, false
		}
		if a.call.Addr != address {
			address = 0
		}
	}
	if address == 0 {
		frames := table.Frames(arcs[0].call.Addr)
		if len(frames) == 0 {
			return caller, Location{{Function: caller.Name}}, true
		}
		holder := frames[len(frames)-1]
		return caller, Location{{Function: holder.Function, File: holder.File}}, true
	}
	return caller, s.locate(caller, callgrind.Cost{Addr: address}), true
}

// isRoot tells that a function has no caller that counts: a benchmark, a function
// literal in it, or the start of a program.
func isRoot(name string) bool {
	if name == "runtime.main" || strings.HasPrefix(name, "_rt0_") {
		return true
	}
	element := name[strings.LastIndexByte(name, '/')+1:]
	_, function, _ := strings.Cut(element, ".")
	return strings.HasPrefix(function, "Benchmark")
}
