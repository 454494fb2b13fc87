package tasks

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/report"
)

// goodShards returns three that are one run together; the third is empty.
func goodShards() []shardResults {
	var all []shardResults
	for i, benches := range [][]string{{"a.A", "b.B"}, {"a.C"}, nil} {
		results := &report.Results{Schema: report.Schema}
		results.Run = report.Run{
			Date: time.Date(2026, 12, 1, 10, i, 0, 0, time.UTC), Module: "example.com/app", Commit: "c0ffee",
			Listed: []string{"a.A", "a.C", "b.B"}, Platform: report.Platform{Go: "go1.26.8", Valgrind: "3.27.1"},
		}
		for _, name := range benches {
			results.Benches = append(results.Benches, report.Bench{Bench: name, Verdict: gate.Missing})
		}
		all = append(all, shardResults{results, shard{i + 1, 3}, string("xyz"[i]) + ".json"})
	}
	return all
}

func TestJoinShards(t *testing.T) {
	run, _, err := joinShards(goodShards())
	if err != nil {
		t.Fatal(err)
	}
	if run.Shard != "" || run.Listed != nil || run.Commit != "c0ffee" || run.Date.Minute() != 2 {
		t.Errorf("got %+v", run)
	}
}

func TestJoinShardsRefuses(t *testing.T) {
	tests := []struct {
		name  string
		spoil func([]shardResults) []shardResults
		want  []string
	}{
		{"missing", func(s []shardResults) []shardResults { return s[:2] }, []string{"shard 3/3: missing\nhint: go tool mage perf -shard=3/3"}},
		{"doubled", func(s []shardResults) []shardResults { return slices.Concat(s, s[2:]) }, []string{"z.json: is shard 3/3, and so is z.json"}},
		{"doubled and missing", func(s []shardResults) []shardResults { s[2].which.number = 2; return s },
			[]string{"z.json: is shard 2/3, and so is y.json", "shard 3/3: missing"}},
		{"other count", func(s []shardResults) []shardResults { s[1].which.of = 4; return s }, []string{`y.json: the number of shards is "4", and "3" in x.json`}},
		{"other commit", func(s []shardResults) []shardResults { s[1].Commit = ""; return s }, []string{`y.json: commit is "", and "c0ffee" in x.json`}},
		{"changed tree", func(s []shardResults) []shardResults { s[1].Dirty = true; return s }, []string{`y.json: the tree is "changed since its commit", and "as committed"`}},
		{"other module", func(s []shardResults) []shardResults { s[2].Module = "m"; return s }, []string{`z.json: module is "m"`}},
		{"other platform", func(s []shardResults) []shardResults {
			s[2].Platform.CPU = "avx"
			s[2].Platform.Valgrind = "3.24.0"
			return s
		},
			[]string{`z.json: cpu is "avx", and "" in x.json`, `z.json: valgrind is "3.24.0", and "3.27.1" in x.json`}},
		{"one filtered", func(s []shardResults) []shardResults { s[1].Filtered = true; return s }, []string{`y.json: what was asked for is "some benches, by -bench or -packages"`}},
		{"other list", func(s []shardResults) []shardResults { s[1].Listed = []string{"a.A", "a.D", "b.B"}; return s },
			[]string{"y.json: lists other benches than x.json: -a.C +a.D"}},
		{"bench in two", func(s []shardResults) []shardResults { s[2].Benches = s[1].Benches; return s }, []string{`z.json: bench "a.C": is in y.json too`}},
		{"bench in none", func(s []shardResults) []shardResults { s[1].Benches = nil; return s }, []string{`bench "a.C": is in no shard`}},
		{"bench of no list", func(s []shardResults) []shardResults { s[1].Benches[0].Bench = "q.Q"; return s },
			[]string{`y.json: bench "q.Q": is not in the list of all benches`, `bench "a.C": is in no shard`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, counts, err := joinShards(test.spoil(goodShards()))
			if err == nil || counts != nil {
				t.Fatalf("got %v, %v", counts, err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v\nwant %s", err, want)
				}
			}
		})
	}
}

// Each file that is wrong is told of, and not only the first.
func TestReadShardsRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"1/results.json": `{"schema": 2, "shard": "1/2", "benches": []}`,
		"2.json":         `{"schema": 2, "benches": []}`,
		"3.json":         `{"schema": 1}`,
		"4.json":         `{"schema": 2, "shard": "9/2", "benches": []}`,
		"5.json":         `{"schema": 2, "shard": "1/2", "benches": [`,
		"6/other.json":   `{}`,
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := readShards(filepath.Join(dir, "*"))
	for _, want := range []string{
		"2.json: is of a whole run, not of a shard", "3.json: has schema 1, want 2", "4.json: shard 9/2: want N/M",
		"5.json: line 1: unexpected end of JSON input", "6/results.json: no such file", "shards read: 1 of 6",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	for pattern, want := range map[string]string{
		filepath.Join(dir, "none*"): "matches nothing\nhint: go tool mage perf -shard=1/2",
		"[":                         "-from=[: syntax error in pattern",
	} {
		if _, err := readShards(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", pattern, err)
		}
	}
}

func TestJoinMachines(t *testing.T) {
	shards := goodShards()
	fast := machine.Machine{CPU: "Fast", Processors: 2, Kernel: "Linux 6.1"}
	for i := range shards {
		shards[i].Machine = fast
	}
	if got := joinMachines(shards); got != fast {
		t.Errorf("one machine: got %+v", got)
	}
	shards[2].Machine = machine.Machine{CPU: "Slow"}
	if got := joinMachines(shards).String(); got != "Fast, 2 processors, Linux 6.1 and Slow" {
		t.Errorf("two machines: got %q", got)
	}
}
