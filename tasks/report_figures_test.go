package tasks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/history"
	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/report"
)

// BenchmarkReport is the time of a whole report but for measuring: of 20 benches with
// 200 runs, as a module has that is looked after, and of 2,000 with as many; each with
// 100 committed states of budgets.toml.
func BenchmarkReport(b *testing.B) {
	for _, benches := range []int{20, 2000} {
		b.Run(fmt.Sprintf("benches=%d", benches), func(b *testing.B) {
			root := keepRuns(b, benches, 200, 100)
			for b.Loop() {
				g := gatherer{root: root, now: time.Now()}
				paths, err := writeReport(root, g.gather(b.Context()))
				if err != nil || len(paths) != 3 || g.problems != nil {
					b.Fatal(paths, err, g.problems)
				}
			}
			info, err := os.Stat(filepath.Join(root, "target", "report", "index.html"))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(info.Size()), "page-bytes")
		})
	}
}

// keepRuns makes a module with benches that were counted in a number of runs and pinned
// in a number of commits, and returns its folder.
func keepRuns(b *testing.B, benches, runs, commits int) string {
	b.Helper()
	root := b.TempDir()
	here := budget.Platform{Go: "go1.26.8", Target: "linux/amd64/v1", Libc: "static", CPU: "avx2", Seed: "fixed"}
	write := func(name string, data []byte) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	write("go.mod", []byte("module example.com/m\n\ngo 1.24\n"))
	write(".gitignore", []byte("target\n"))
	results := report.Results{Schema: report.Schema, Run: report.Run{
		Module: "example.com/m", Date: time.Now().UTC().Truncate(time.Second), Platform: report.Platform(here),
	}}
	for i := range benches {
		total := int64(1000 + i)
		results.Benches = append(results.Benches, report.Bench{
			Bench: caseName(i), Verdict: gate.Within, Iters: new(int64(2)), Total: &total, Ir: new(json.Number(budget.PerOperation(total, 2))),
			Pin:  &report.Pin{Ir: json.Number(budget.PerOperation(total, 2)), Iters: 2, Total: total, Line: i + 9},
			Band: "2%", Delta: new(int64(0)), Runs: []int64{total}, Distinct: 1, Settled: true,
		})
	}
	var out, lines bytes.Buffer
	if err := results.Write(&out); err != nil {
		b.Fatal(err)
	}
	write("target/perf/results.json", out.Bytes())
	for run := range runs {
		entry := history.Entry{Date: results.Date.Add(time.Duration(run-runs) * time.Hour), Platform: history.Platform(here), Machine: machine.Here()}
		for i := range benches {
			entry.Benches = append(entry.Benches, history.Count{Bench: caseName(i), Iters: 2, Total: int64(1000 + i + (run*i)%17)})
		}
		line, err := history.Encode(entry)
		if err != nil {
			b.Fatal(err)
		}
		lines.Write(line)
	}
	write(historyFile, lines.Bytes())
	runGit(b, root, "init", "-q", "-b", "main")
	for at := range commits {
		write(budgetsFile, pinsFor(here, benches, at))
		runGit(b, root, "add", "-A")
		runGit(b, root, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "pin")
	}
	return root
}

func caseName(at int) string { return fmt.Sprintf("benches/p%d.Bench/case_%d", at/10, at) }

func pinsFor(p budget.Platform, benches, change int) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "[pinned]\ngo = %q\ntarget = %q\nlibc = %q\ncpu = %q\nseed = %q\n[budgets]\n", p.Go, p.Target, p.Libc, p.CPU, p.Seed)
	for i := range benches {
		fmt.Fprintf(&out, "%q = { ir = %d, iters = 2 }\n", caseName(i), 500+i+(change*i)%13)
	}
	return out.Bytes()
}

func runGit(b *testing.B, root string, args ...string) {
	b.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git %q: %v\n%s", args, err, out)
	}
}
