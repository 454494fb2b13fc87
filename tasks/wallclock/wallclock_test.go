package wallclock

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// results makes a file in which a benchmark has these times, in ns/op.
func results(cpu, bench string, times ...float64) string {
	var out strings.Builder
	fmt.Fprintf(&out, "go: go1.26.8\ncpu: %s\npkg: example.com/p\n", cpu)
	for _, ns := range times {
		fmt.Fprintf(&out, "Benchmark%s-2\t100\t%v ns/op\t16 B/op\t1 allocs/op\n", bench, ns)
	}
	return out.String()
}

func read(t *testing.T, name, text string) *Set {
	t.Helper()
	set, err := Read(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestCompare(t *testing.T) {
	slow, fast := []float64{200, 201, 202, 203, 204, 205}, []float64{100, 101, 102, 103, 104, 105}
	tests := []struct {
		name          string
		before, after []float64
		significant   bool
		larger        bool
	}{
		{"slower", fast, slow, true, true},
		{"faster", slow, fast, true, false},
		{"noise", []float64{100, 110, 120, 130, 140, 150}, []float64{101, 111, 121, 131, 141, 151}, false, true},
		{"too few to tell", []float64{100, 101}, []float64{200, 201}, false, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Compare(read(t, "before", results("a", "X", test.before...)), read(t, "after", results("a", "X", test.after...)))
			d := c.Differences[0]
			if d.Unit != "sec/op" || d.Significant != test.significant || (d.After > d.Before) != test.larger {
				t.Errorf("got %+v", d)
			}
			if d.Samples != [2]int{len(test.before), len(test.after)} {
				t.Errorf("samples: got %v", d.Samples)
			}
			// Allocations are the same.
			if d := c.Differences[2]; d.Unit != "allocs/op" || d.Significant || d.Before != 1 {
				t.Errorf("got %+v", d)
			}
		})
	}
}

func TestCompareTellsWhatElseDiffers(t *testing.T) {
	before := read(t, "before", results("a", "X", 1)+results("a", "Old", 1))
	after := read(t, "after", results("b", "X", 1)+results("b", "New", 1)+"BenchmarkX-2\tprinted\n")
	c := Compare(before, after)
	if want := [][3]string{{"cpu", "a", "b"}}; !reflect.DeepEqual(c.Config, want) {
		t.Errorf("config: got %q, want %q", c.Config, want)
	}
	if want := []string{"example.com/p.BenchmarkOld-2"}; !reflect.DeepEqual(c.OnlyBefore, want) {
		t.Errorf("only before: got %q, want %q", c.OnlyBefore, want)
	}
	if want := []string{"example.com/p.BenchmarkNew-2"}; !reflect.DeepEqual(c.OnlyAfter, want) {
		t.Errorf("only after: got %q, want %q", c.OnlyAfter, want)
	}
	if len(c.Problems) != 1 || !strings.Contains(c.Problems[0], "after:") {
		t.Errorf("problems: got %q, want one of after", c.Problems)
	}
}

func TestReadRefusesNothing(t *testing.T) {
	if _, err := Read("x", []byte("PASS\nok example.com/p 0.1s\n")); err == nil || !strings.HasPrefix(err.Error(), "x: ") {
		t.Errorf("got %v, want an error that names the file", err)
	}
}
