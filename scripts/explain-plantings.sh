#!/usr/bin/env bash
# Plants an extra loop in one function at a time, in 21 places of different kinds, and
# checks that the first row that perf tells is that function, by its name. Prints a
# table; exits with 1 where a row is wrong. Takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go tool mage bootstrap 2>/dev/null
go tool mage -compile "$work/mage"

mkdir -p "$work/m/benches" "$work/m/other" "$work/dep" "$work/m/target"
ln -s "$root/target/tools" "$work/m/target/tools"
cd "$work/m"
cat >go.mod <<'END'
module example.com/m

go 1.24

require example.com/dep v0.0.0

replace example.com/dep => ../dep
END
printf 'module example.com/dep\n\ngo 1.24\n' >../dep/go.mod
printf 'package dep\n\n//go:noinline\nfunc Work(n int) int {\n\t// plant dependency\n\treturn n + 1\n}\n' >../dep/dep.go
printf 'package other\n\n//go:noinline\nfunc Work(n int) int {\n\t// plant package\n\treturn n + 1\n}\n' >other/other.go
cat >benches/add_amd64.s <<'END'
#include "textflag.h"

// func add(n int) int
TEXT ·add(SB), NOSPLIT, $0-16
	MOVQ n+0(FP), AX
	MOVQ $300, CX
	// plant assembly
	ADDQ $1, AX
	MOVQ AX, ret+8(FP)
	RET
END
cat >benches/places.go <<'END'
package benches

import (
	"example.com/dep"
	"example.com/m/other"
)

func add(n int) int

//go:noinline
func callee(n int) int {
	// plant callee
	return n + 1
}

func inlined(n int) int {
	// plant inlined
	return n + 1
}

func innermost(n int) int {
	// plant inlined_deep
	return n + 1
}

func between(n int) int { return innermost(n) + 1 }

func shared(n int) int {
	// plant inlined_twice
	return n + 1
}

//go:noinline
func first(n int) int { return shared(n) + 1 }

//go:noinline
func second(n int) int { return shared(n) + 2 }

//go:noinline
func closure(by int) func(int) int {
	return func(n int) int {
		// plant closure
		return n + by
	}
}

//go:noinline
func generic[T ~int | ~string](n int, _ T) int {
	// plant generic
	return n + 1
}

type stack[T any] struct{ items []T }

//go:noinline
func (s *stack[T]) depth(n int) int {
	// plant generic_method
	return n + len(s.items)
}

type thing struct{ by int }

//go:noinline
func (t *thing) pointer(n int) int {
	// plant method
	return n + t.by
}

//go:noinline
func (t thing) value(n int) int {
	// plant method_value
	return n + t.by
}

type doer interface{ do(n int) int }

//go:noinline
func (t *thing) do(n int) int {
	// plant interface
	return n + t.by
}

type inner struct{ by int }

//go:noinline
func (i *inner) promoted(n int) int {
	// plant promoted
	return n + i.by
}

type outer struct{ *inner }

//go:noinline
func deferring(n int) (m int) {
	defer func() {
		// plant deferred
		m = n + 1
	}()
	return n
}

//go:noinline
func goroutine(n int) int {
	done := make(chan int)
	go func(n int) {
		// plant goroutine
		done <- n + 1
	}(n)
	return <-done
}

//go:noinline
func recursive(n, depth int) int {
	if depth == 0 {
		return n
	}
	// plant recursive
	return recursive(n+1, depth-1)
}

//go:noinline
func iterate(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		// plant iterator
		yield(n + 1)
	}
}

var variable = func(n int) int {
	// plant variable
	return n + 1
}

var table = map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9, "j": 10}

//go:noinline
func lookup(n int) int {
	// lookups plant map
	return n + table["c"]
}

func all(n int, f func(int) int, d doer) int {
	n = callee(n) + inlined(n) + between(n) + first(n) + second(n) + add(n)
	n += closure(3)(n) + generic(n, 1) + (&stack[string]{}).depth(n)
	n += (&thing{1}).pointer(n) + f(n) + d.do(n) + outer{&inner{2}}.promoted(n)
	n += deferring(n) + goroutine(n) + recursive(n, 3) + variable(n) + lookup(n)
	for m := range iterate(n) {
		n += m
	}
	return n + other.Work(n) + dep.Work(n)
}
END
cat >benches/places_test.go <<'END'
package benches

import "testing"

var sink int

//go:noinline
func inTest(n int) int {
	// plant test_file
	return n + 1
}

func BenchmarkPlaces(b *testing.B) {
	t := thing{2}
	for b.Loop() {
		sink += all(sink, t.value, &t) + inTest(sink)
	}
}
END
"$work/mage" pin 2>/dev/null >/dev/null

m=example.com/m/benches
wrong=0 tried=0
printf '%-16s %-44s %s\n' place 'first row' 'as planted'
while read -r place want; do
	tried=$((tried + 1))
	file=$(grep -rl "plant $place\$" benches other ../dep)
	cp "$file" "$work/original"
	case $place in
	assembly) loop=$'loop:\tXORQ CX, AX\\n\tDECQ CX\\n\tJNZ loop' ;;
	map) loop='for range 100 { n += table["b"] }' ;;
	*) loop='for i := range 300 { n ^= i * n }' ;;
	esac
	sed -i "s|^.*plant $place\$|$loop|" "$file"
	row=$("$work/mage" perf 2>/dev/null | grep -A1 regressed$ | sed -n '2s/^.* Ir  \([^ ]*\).*/\1/p' || true)
	cp "$work/original" "$file"
	verdict=yes
	[[ $row =~ ^$want$ ]] || { verdict="NO, want $want"; wrong=$((wrong + 1)); }
	printf '%-16s %-44s %s\n' "$place" "$row" "$verdict"
done <<END
callee $m\.callee
inlined $m\.inlined
inlined_deep $m\.innermost
inlined_twice $m\.shared
closure $m\.(all\.)?closure\.(closure\.)?func1
generic $m\.generic\[\.\.\.\]
generic_method $m\.\(\*stack\[\.\.\.\]\)\.depth
method $m\.\(\*thing\)\.pointer
method_value $m\.thing\.value
interface $m\.\(\*thing\)\.do
promoted $m\.\(\*inner\)\.promoted
deferred $m\.deferring\.func1
goroutine $m\.goroutine\.func1
recursive $m\.recursive
iterator $m\.(all\.)?iterate\.(iterate\.)?func1
variable $m\.(init|glob\.)\.func1
assembly $m\.add
package example.com/m/other\.Work
dependency example.com/dep\.Work
map (internal/runtime/maps\.|runtime\.mapaccess).*
test_file $m\.inTest
END
echo "$((tried - wrong)) of $tried first rows are the planted function"
[ "$wrong" -eq 0 ]
