// Frames prints what the run time itself says of the addresses of some functions
// that hold inlined code: the address, and function, file and line of each frame.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	_ "unsafe" // for go:linkname
)

// expand puts the return addresses of inlined callers behind the last address, as
// package pprof has it done. Linking needs -checklinkname=0.
//
//go:linkname expand runtime/pprof.runtime_expandFinalInlineFrame
func expand(addresses []uintptr) []uintptr

type pair[T any] struct{ a, b T }

func (p pair[T]) swap() pair[T] { return pair[T]{p.b, p.a} }

func twice[T any](p pair[T]) pair[T] { return p.swap().swap() }

//go:noinline
func inlines(n int) int {
	p := twice(pair[int]{n, n + 1})
	add := func(i int) int { return p.a + i }
	return add(p.b) + len(strings.TrimSpace("x"))
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, fn := range []any{inlines, main, strings.Fields, slices.Sorted[int], json.Marshal, (*bufio.Writer).Flush, os.ReadFile} {
		start := reflect.ValueOf(fn).Pointer()
		for pc := start; pc < start+4096; pc++ {
			frames := stack(pc)
			if last := frames[len(frames)-1]; last.Entry != start {
				break
			}
			fmt.Fprintf(out, "%d", pc)
			for _, frame := range frames {
				fmt.Fprintf(out, "\t%s\t%s\t%d", frame.Function, frame.File, frame.Line)
			}
			fmt.Fprintln(out)
		}
	}
}

func stack(pc uintptr) (stack []runtime.Frame) {
	// Addresses of callers are return addresses, which are one behind.
	for frames, more := runtime.CallersFrames(expand([]uintptr{pc + 1})), true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		stack = append(stack, frame)
	}
	return stack
}
