package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/explain"
	"github.com/perfpin/perfpin/tasks/gate"
)

// of returns a run on a platform.
func of(platform budget.Platform) Run {
	return Run{
		Date:   time.Date(2026, 12, 1, 10, 20, 30, 400, time.FixedZone("", 3600)),
		Module: "example.com/app", Commit: "8abfbad0c0ffee0c0ffee0c0ffee0c0ffee0c0ff", Dirty: true, Platform: Platform(platform),
	}
}

func TestResultsRoundTrip(t *testing.T) {
	other := here
	other.Go, other.Env = "go1.27.0", []string{"A=1"}
	for _, test := range []struct {
		golden   string
		verdicts []gate.Verdict
		run      Run
	}{
		{"results.golden.json", judge(t, here), of(here)},
		{"results_platform.golden.json", judge(t, other), of(other)},
		{"results_empty.golden.json", nil, Run{Shard: "2/5", Filtered: true, Listed: []string{".A", "b.B"}, Platform: Platform(here)}},
		{"results_hostile.golden.json", hostile(t), of(here)},
	} {
		t.Run(test.golden, func(t *testing.T) {
			results := NewResults(test.verdicts, test.run)
			var out bytes.Buffer
			if err := results.Write(&out); err != nil {
				t.Fatal(err)
			}
			golden(t, test.golden, out.Bytes())
			again, err := ReadResults("results.json", out.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			// JSON cannot hold invalid UTF-8; all else must come back.
			for i := range results.Benches {
				results.Benches[i].Bench = strings.ToValidUTF8(results.Benches[i].Bench, "\ufffd")
			}
			again.Benches = validNames(again.Benches)
			results.Benches = validNames(results.Benches)
			if !reflect.DeepEqual(*again, results) {
				t.Errorf("got\n%+v\nwant\n%+v", *again, results)
			}
		})
	}
}

// validNames folds runs of replacement characters: ToValidUTF8 makes one of
// several invalid bytes, encoding/json one each.
func validNames(benches []Bench) []Bench {
	for i := range benches {
		benches[i].Bench = strings.ReplaceAll(benches[i].Bench, "\ufffd\ufffd", "\ufffd")
	}
	return benches
}

// Every number is written exactly, also where float64 could not hold it.
func TestResultsAreExact(t *testing.T) {
	var out bytes.Buffer
	if err := NewResults(hostile(t), of(here)).Write(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"ir": 9223372036854775807,`) {
		t.Error("the largest count is not written digit by digit")
	}
}

// The members that the package comment names are all written, null or not.
func TestResultsMembers(t *testing.T) {
	var out bytes.Buffer
	if err := NewResults(judge(t, here), of(here)).Write(&out); err != nil {
		t.Fatal(err)
	}
	var file struct {
		Benches []map[string]any `json:"benches"`
	}
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	for _, bench := range file.Benches {
		for _, member := range []string{"bench", "ir", "iters", "total", "allocs", "bytes", "pin", "band", "delta", "verdict", "runs", "distinct", "settled"} {
			if _, ok := bench[member]; !ok {
				t.Errorf("%v: no %s", bench["bench"], member)
			}
		}
	}
}

func TestReadResultsRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"other schema", `{"schema": 1, "new": 1}`, "r.json: has schema 1, want 2\nhint: go tool mage perf"},
		{"no schema", `{}`, "r.json: has no schema, want 2\nhint: go tool mage perf"},
		{"cut", "{\"schema\": 2,\n\"benches\": [", "r.json: line 2: unexpected end of JSON input"},
		{"empty", "", "r.json: line 1: unexpected end of JSON input"},
		{"array", "[]", "r.json: line 1: json: cannot unmarshal array"},
		{"wrong type", "{\"schema\": 2,\n\"benches\": 5}", "r.json: line 2: json: cannot unmarshal number"},
		{"unknown member", `{"schema": 2, "bences": []}`, `r.json: not a results file: json: unknown field "bences"`},
		{"two values", `{"schema": 2} {}`, "r.json: line 1: invalid character"},
		{"unknown verdict", `{"schema": 2, "benches": [{"bench": "x", "verdict": "fine"}]}`, `r.json: bench "x" (number 1): unknown verdict "fine"`},
		{"power of ten", `{"schema": 2, "benches": [{"bench": "x", "verdict": "within", "ir": 1e999999999}]}`, `r.json: bench "x" (number 1): ir is 1e999999999, want plain digits`},
		{"negative", `{"schema": 2, "benches": [{"bench": "x", "verdict": "within", "pin": {"ir": -1, "iters": 1, "total": 1}}]}`, `r.json: bench "x" (number 1): ir of the pin is -1, want plain digits`},
		{"too large", `{"schema": 2, "benches": [{"bench": "x", "verdict": "within", "iters": 2, "total": 1, "allocs": 9223372036854775807}]}`, `r.json: bench "x" (number 1): allocs is 9223372036854775807: the total is too large to be a count`},
		{"pin of nothing", `{"schema": 2, "benches": [{"bench": "x", "verdict": "within", "pin": {"ir": 0, "iters": 1, "total": 0}}]}`, `r.json: bench "x" (number 1): pin: total is 0, want at least 1`},
		{"pin of no operation", `{"schema": 2, "benches": [{"bench": "x", "verdict": "within", "pin": {"ir": 1, "iters": 0, "total": 1}}]}`, `r.json: bench "x" (number 1): pin: iters is 0, want at least 1`},
		{"no operation", `{"schema": 2, "benches": [{"bench": "x", "verdict": "within", "iters": 0, "total": 1}]}`, `r.json: bench "x" (number 1): iters is 0, want at least 1`},
		{"no instruction", `{"schema": 2, "benches": [{"bench": "x", "verdict": "within", "iters": 1, "total": -1}]}`, `r.json: bench "x" (number 1): total is -1, want at least 1`},
		{"no instruction in a run", `{"schema": 2, "benches": [{"bench": "x", "verdict": "within", "runs": [1, 0]}]}`, `r.json: bench "x" (number 1): a run is 0, want at least 1`},
		{"half a count", `{"schema": 2, "benches": [{"bench": "x", "verdict": "within", "iters": 1}]}`, `r.json: bench "x" (number 1): iters and total: one is null, want both or none`},
		{"delta to nothing", `{"schema": 2, "benches": [{"bench": "x", "verdict": "within", "iters": 1, "total": 1, "delta": 3}]}`, `r.json: bench "x" (number 1): delta is 3, want null without a total and a pin`},
		{"other delta", `{"schema": 2, "benches": [{"bench": "x", "verdict": "within", "iters": 1, "total": 5, "delta": 3, "pin": {"ir": 1, "iters": 1, "total": 1}}]}`, `r.json: bench "x" (number 1): delta is 3, want 4, what the total is above that of the pin`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			results, err := ReadResults("r.json", []byte(test.text))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || results != nil {
				t.Errorf("got %v, %v\nwant %s", results, err, test.want)
			}
		})
	}
}

// What merging judges again is what was judged.
func TestCountComesBack(t *testing.T) {
	var verdicts []gate.Verdict
	for _, v := range append(judge(t, here), hostile(t)...) {
		if v.Count != nil {
			verdicts = append(verdicts, v)
		}
	}
	if len(verdicts) < 8 {
		t.Fatalf("only %d counts", len(verdicts))
	}
	for i, bench := range NewResults(verdicts, of(here)).Benches {
		want := *verdicts[i].Count
		want.Libc = ""
		got, ok := bench.Count()
		got.Runs = append([]int64(nil), got.Runs...)
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v\nwant %+v", bench.Bench, got, ok, want)
		}
	}
}

// Whatever is read can be shown, is written as what reads back the same, and can be
// judged again.
func FuzzReadResults(f *testing.F) {
	for _, name := range []string{"results.golden.json", "results_empty.golden.json", "results_hostile.golden.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"schema": 2, "benches": [{"bench": "x", "verdict": "regressed", "iters": 0, "total": 0, "delta": 0, "pin": {"ir": 0, "iters": 0, "total": 0}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		results, err := ReadResults("r.json", data)
		if err != nil {
			return
		}
		if err := errors.Join(
			Summary(io.Discard, results, nil, room),
			Annotations(io.Discard, results, nil, Place{File: "budgets.toml"}),
		); err != nil {
			t.Fatal(err)
		}
		for _, b := range results.Benches {
			if b.Delta != nil {
				SignedPerOperation(*b.Delta, *b.Iters)
			}
		}
		var out bytes.Buffer
		if err := results.Write(&out); err != nil {
			return // a year that RFC 3339 does not have
		}
		again, err := ReadResults("r.json", out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for i, bench := range again.Benches {
			count, ok := bench.Count()
			want, wantOK := results.Benches[i].Count()
			if ok != wantOK || fmt.Sprint(count) != fmt.Sprint(want) {
				t.Errorf("got %+v, want %+v", count, want)
			}
		}
	})
}

// What results.json tells of functions comes back from it, and no more than is shown.
func TestResultsTellFunctions(t *testing.T) {
	results := Results{Schema: Schema, Benches: []Bench{
		{Bench: "p.Other", Verdict: gate.Within},
		{Bench: "p.Slow", Verdict: gate.Regressed, Total: new(int64(150)), Iters: new(int64(2)), Pin: &Pin{Ir: "50", Iters: 2, Total: 100}},
	}}
	var moves []explain.Move
	for i := range MostMoves + 5 {
		moves = append(moves, explain.Move{Function: fmt.Sprint("f", i), Base: 10, Head: 13, Into: "g"})
	}
	results.Explain(map[string]Explanation{"p.Slow": {Moves: moves}, "p.Other": {Err: errors.New("gone"), Moves: moves}})
	var out bytes.Buffer
	if err := results.Write(&out); err != nil {
		t.Fatal(err)
	}
	read, err := ReadResults("r.json", out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got := read.Explained()
	if len(got) != 1 || !slices.Equal(got["p.Slow"].Moves, moves[:MostMoves]) || got["p.Slow"].Base != 100 || got["p.Slow"].Head != 150 {
		t.Errorf("got %+v", got)
	}
	want := []string{"+3 Ir in f0  (+30.00%)  inlined into g", "+3 Ir in f1  (+30.00%)  inlined into g", "+3 Ir in f2  (+30.00%)  inlined into g", "and in others"}
	if told := read.Benches[1].ToldFunctions(); !slices.Equal(told, want) {
		t.Errorf("got %q", told)
	}
}
