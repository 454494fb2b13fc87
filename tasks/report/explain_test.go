package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/explain"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/wallclock"
)

func manyMoves() []explain.Move {
	moves := []explain.Move{
		{Function: "encoding/json.(*decodeState).object", Base: 38722, Head: 50726},
		{Function: "example.com/p.Decode", Head: 900},
		{Function: "example.com/p.old\x1b[31m", Base: 800},
		{Function: "example.com/p.small", Base: 1, Head: 400, Into: "example.com/p.Decode"},
	}
	for i := range 11 {
		moves = append(moves, explain.Move{Function: "f" + strings.Repeat("x", i), Base: 100, Head: int64(120 - i)})
	}
	return moves
}

func TestExplain(t *testing.T) {
	e := Explanation{
		Bench: "p.Decode/large", Base: 1000000, Head: 1012668, Iters: 2000,
		BaseName: "v1.2.0 (1a2b3c4d5e6f)", HeadName: "now", Moves: manyMoves(),
		Lines: map[string][]explain.LineMove{
			"encoding/json.(*decodeState).object": {
				{File: "decode.go", Line: 700, Text: "for\t{", Base: 1, Head: 12006}, {Line: 0, Head: 1}, {File: "a.go", Line: 1, Text: "x", Base: 1},
				{File: "a.go", Line: 2, Head: 1}, {File: "a.go", Line: 3, Head: 1}, {File: "a.go", Line: 4, Head: 1},
			},
		},
		Notes: []string{`base is built with go "go1.26.8", head with "go1.27.0"`},
	}
	var out bytes.Buffer
	if err := Explain(&out, e); err != nil {
		t.Fatal(err)
	}
	if err := Explain(&out, Explanation{Bench: "p.Same", Base: 10, Head: 10, Iters: 1, BaseName: "HEAD", HeadName: "now"}); err != nil {
		t.Fatal(err)
	}
	golden(t, "explain.golden", out.Bytes())
}

func TestCompareAndExplained(t *testing.T) {
	c := Comparison{
		BaseName: "merge base with main (1a2b3c4d5e6f)",
		Verdicts: []gate.Verdict{
			{Bench: "p.Gone", Kind: gate.Missing},
			{Bench: "p.More", Kind: gate.Regressed, Count: &count.Count{Iters: 10, Total: 1000, Runs: []int64{1000}, Settled: true}},
			{Bench: "p.New", Kind: gate.Unpinned, Count: &count.Count{Iters: 10, Total: 1000, Runs: []int64{1000}, Settled: true}},
			{Bench: "p.Worse", Kind: gate.Failed, Err: errors.New("base: timed out")},
		},
		Explained: map[string]Explanation{"p.More": {Moves: manyMoves()[:2]}, "p.Other": {Err: errors.New("gone")}},
		Notes:     []string{"base is older"},
	}
	var out bytes.Buffer
	if err := Compare(&out, c, TerminalOptions{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "explain_compare.golden", out.Bytes())
}

// One hint names all benches that no profile is at hand for.
func TestUnexplained(t *testing.T) {
	verdicts := []gate.Verdict{{Bench: "p.A/x y", Kind: gate.Within}}
	opts := TerminalOptions{Explained: map[string]Explanation{
		"p.B": {Err: errors.New("no profile")}, "p.A/x y": {Err: errors.New("no profile")}, "p.C": {Moves: manyMoves()[:1]},
	}}
	var out bytes.Buffer
	if err := Terminal(&out, verdicts, opts); err != nil {
		t.Fatal(err)
	}
	if want := `hint: go tool mage explain -bench='^(p\.A/x y|p\.B)$'`; strings.Count(out.String(), want) != 1 || strings.Count(out.String(), "hint:") != 1 {
		t.Errorf("got\n%s\nwant one hint, %s", out.String(), want)
	}
}

func TestClock(t *testing.T) {
	c := wallclock.Comparison{
		Before: "before", After: "after",
		Differences: []wallclock.Difference{
			{Bench: "p.BenchmarkX", Unit: "sec/op", Before: 1e-6, After: 1.052e-6, P: 0.002, Significant: true, Samples: [2]int{10, 10}},
			{Bench: "p.BenchmarkX", Unit: "B/op", Before: 16, After: 16, P: 1, Samples: [2]int{10, 10}},
			{Bench: "p.BenchmarkX", Unit: "allocs/op", Before: 0, After: 2, P: 0, Significant: true, Samples: [2]int{10, 10}},
			{Bench: "p.BenchmarkY", Unit: "sec/op", Before: 2e-3, After: 1e-3, P: 0.03, Significant: true, Samples: [2]int{10, 6}},
			{Bench: "p.BenchmarkY", Unit: "B/op", Before: 32, After: 48, P: 0.001, Significant: true, Samples: [2]int{10, 6}},
			{Bench: "p.BenchmarkZ", Unit: "sec/op", Before: 1, After: 1.1, P: 0.4, Samples: [2]int{2, 2}, Warnings: []string{"need >= 4 samples"}},
		},
		OnlyBefore: []string{"p.BenchmarkOld"}, OnlyAfter: []string{"p.BenchmarkNew"},
		Config:   [][3]string{{"cpu", "a", "b"}},
		Problems: []string{"after:3: parsing iteration count"},
	}
	var out bytes.Buffer
	if err := Clock(&out, c); err != nil {
		t.Fatal(err)
	}
	golden(t, "explain_clock.golden", out.Bytes())
}
