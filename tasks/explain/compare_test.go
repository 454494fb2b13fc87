package explain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/tasks/callgrind"
	"github.com/perfpin/perfpin/tasks/explain/symbols"
)

// at makes a cost of functions that are inlined into each other, the innermost first,
// each "name:line".
func at(ir int64, places ...string) Cost {
	var l Location
	for _, place := range places {
		var f symbols.Frame
		name, line, _ := strings.Cut(place, ":")
		f.Function, f.File = name, "wire.go"
		fmt.Sscan(line, &f.Line)
		l = append(l, f)
	}
	return Cost{Stack: []Location{l}, Ir: ir}
}

func tellMoves(moves []Move) string {
	var out strings.Builder
	for _, m := range moves {
		fmt.Fprintf(&out, "%s %d→%d", m.Function, m.Base, m.Head)
		if m.Into != "" {
			out.WriteString(" in " + m.Into)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func TestCompare(t *testing.T) {
	tests := []struct {
		name       string
		base, head []Cost
		want       string
	}{
		{"nothing", nil, nil, ""},
		{"the same", []Cost{at(5, "a:1")}, []Cost{at(2, "a:1"), at(3, "a:2")}, ""},
		{"largest first, equal ones by name", []Cost{at(10, "a:1"), at(10, "b:1"), at(10, "c:1")},
			[]Cost{at(11, "c:1"), at(9, "a:1"), at(90, "b:1")}, "b 10→90\na 10→9\nc 10→11\n"},
		{"new and gone", []Cost{at(3, "old:1")}, []Cost{at(4, "new:1")}, "new 0→4\nold 3→0\n"},
		{"inlined into one", []Cost{at(1, "f:1", "g:1")}, []Cost{at(9, "f:1", "g:2")}, "f 1→9 in g\n"},
		{"inlined into two", []Cost{at(1, "f:1", "g:1")}, []Cost{at(9, "f:1", "h:2")}, "f 1→9\n"},
		{"inlined in base only", []Cost{at(1, "f:1", "g:1")}, []Cost{at(9, "f:1")}, "f 1→9\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := tellMoves(Compare(Profile{Costs: test.base}, Profile{Costs: test.head})); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}

// FuzzCompare checks that moves always add up to the difference of the totals.
func FuzzCompare(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4}, []byte{9, 9, 1})
	f.Fuzz(func(t *testing.T, base, head []byte) {
		profile := func(data []byte) (p Profile) {
			for i, b := range data {
				places := []string{fmt.Sprintf("f%d:%d", b%7, i), fmt.Sprintf("g%d:1", b%3)}
				p.Costs = append(p.Costs, at(int64(b)*int64(i), places[:1+b%2]...))
			}
			return p
		}
		before, after := profile(base), profile(head)
		var sum int64
		for _, m := range Compare(before, after) {
			if m.Delta() == 0 {
				t.Errorf("%s did not move", m.Function)
			}
			sum += m.Delta()
		}
		if want := after.Total() - before.Total(); sum != want {
			t.Errorf("the moves add up to %d, want %d", sum, want)
		}
	})
}

// Lines that stand elsewhere now are the same lines.
func TestCompareLines(t *testing.T) {
	source := func(lines ...string) Source {
		return func(file string, line int) (string, bool) {
			if file != "wire.go" || line < 1 || line > len(lines) {
				return "", false
			}
			return lines[line-1], true
		}
	}
	base := Profile{Costs: []Cost{at(10, "f:1"), at(20, "f:2"), at(7, "g:2"), at(3, "f:9")}}
	head := Profile{Costs: []Cost{at(10, "f:2"), at(50, "f:1"), at(25, "f:3"), at(1, "f:4", "g:1"), at(4, "f:9")}}
	moves := CompareLines(base, head, "f", source("\tx++", "\ty++"), source("\tz++", "\tx++", "\t\ty++", "}"))
	var got strings.Builder
	for _, m := range moves {
		fmt.Fprintf(&got, "%s:%d %q %d→%d\n", m.File, m.Line, m.Text, m.Base, m.Head)
	}
	want := `wire.go:1 "z++" 0→50
wire.go:3 "y++" 20→25
wire.go:4 "}" 0→1
wire.go:9 "" 3→4
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

func TestProgramsCheck(t *testing.T) {
	functions := []*callgrind.Function{{Name: "f", Object: "/lib/ld.so"}, {Name: "main.f", Object: "bin/old.test"}}
	table := &symbols.Table{}
	for name, test := range map[string]struct {
		programs Programs
		want     string
	}{
		"one is of it":       {Programs{"bin/old.test": table, "/m/bin/old.test": table}, ""},
		"no symbols at all":  {nil, ""},
		"of another program": {Programs{"bin/new.test": table}, `p: is of ["/lib/ld.so" "bin/old.test"], want ["bin/new.test"]`},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.programs.Check("p", functions)
			if got := fmt.Sprint(err); (err != nil || test.want != "") && got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// A change of the C code above it gives a cgo wrapper another name, and moves nothing.
func TestCompareKnowsCgoWrappers(t *testing.T) {
	profile := func(name string, ir int64) Profile {
		return Profile{Costs: []Cost{{Stack: []Location{{{Function: name}}}, Ir: ir}}}
	}
	before, after := profile("_cgo_df902a3b4c5d_Cfunc_work", 3200), profile("_cgo_f4fc00112233_Cfunc_work", 3300)
	got := Compare(before, after)
	if len(got) != 1 || got[0].Function != "_cgo_Cfunc_work" || got[0].Delta() != 100 {
		t.Errorf("got %+v", got)
	}
	for _, name := range []string{"_cgo_panic", "_cgo_f4fc0011223_x", "_cgo_F4FC00112233_x", "main._cgo_f4fc00112233_x", ""} {
		if got := unhash(name); got != name {
			t.Errorf("%q: got %q", name, got)
		}
	}
}
