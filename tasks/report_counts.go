package tasks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/history"
	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/report/page"
)

// mostBroken is how many broken lines of a history are told one by one.
const mostBroken = 3

// mostPoints is how much of a bench's history is in the report, the newest part. All of
// it stays in history.jsonl.
const mostPoints = 100

// counts joins the last run, the pins, and what both were before.
func (g *gatherer) counts(ctx context.Context) page.Section[page.Counts] {
	s := page.Section[page.Counts]{Notes: []string{}}
	file, err := readBudgets(g.root)
	if err != nil {
		g.note(&s, err)
		g.problems = append(g.problems, err)
		file, _ = budget.Parse(budgetsFile, budget.Template())
	}
	results, err := readResults(g.root)
	switch {
	case errors.Is(err, os.ErrNotExist):
		lack(&s, "no run has been kept yet", "go tool mage perf")
	case err != nil:
		fail(g, &s, err)
	}
	runs := g.runs(&s)
	data := page.Counts{Tally: map[gate.Kind]int{}, Benches: []page.Bench{}}
	platform := file.Pinned
	if results != nil {
		platform = budget.Platform(results.Platform)
		data.Platform, data.Differences = results.Platform, results.Differences
		data.Filtered, data.Shard = results.Filtered, results.Shard
		s.Measured, s.Commit, s.Dirty = new(results.Date), results.Commit, results.Dirty
		describeRun(&s, results)
	}
	series := history.Join(runs, g.revisions(ctx, &s), platform)
	if platform.Go != "" { // else there is none that others could differ from
		s.Notes = append(s.Notes, tellOthers(series)...)
	}
	data.Benches = joinBenches(results, file)
	for i := range data.Benches {
		b := &data.Benches[i]
		data.Tally[b.Verdict]++
		points := series.Benches[b.Bench.Bench]
		b.History = append([]history.Point{}, points[max(0, len(points)-mostPoints):]...)
		g.addFlame(b)
	}
	if len(data.Benches) > 0 || results != nil {
		s.Data = &data
	}
	return s
}

// tellOthers says what of the past is in no trend.
func tellOthers(series history.Series) []string {
	var notes []string
	for what, n := range map[string]int{"runs": series.OtherRuns, "states of " + budgetsFile: series.OtherRevisions} {
		if n > 0 {
			notes = append(notes, fmt.Sprintf("earlier %s that are of another platform, and not in the trends: %d", what, n))
		}
	}
	slices.Sort(notes)
	return notes
}

// note puts an error into the section's notes, with what helps.
func (g *gatherer) note(s *page.Section[page.Counts], err error) {
	s.Notes = append(s.Notes, withoutPaths(err, g.root).Error())
}

// tell says what does not make the report fail.
func (g *gatherer) tell(s *page.Section[page.Counts], err error) {
	g.note(s, err)
	g.told = append(g.told, err)
}

func readResults(root string) (*report.Results, error) {
	path := filepath.Join("target", "perf", "results.json")
	data, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return nil, err
	}
	return report.ReadResults(path, data)
}

// runs reads the history. A line that is broken is told, and stays in the file.
func (g *gatherer) runs(s *page.Section[page.Counts]) []history.Entry {
	data, before, err := readHistory(g.root, mostHistory)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		g.note(s, err)
		g.problems = append(g.problems, err)
		return nil
	}
	if before > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: older runs that are not in the trends: %d", historyFile, before))
	}
	runs, broken := history.Read(historyFile, before, data)
	for _, err := range broken[:min(len(broken), mostBroken)] {
		g.tell(s, fmt.Errorf("%w: left out of the trends", err))
	}
	if others := len(broken) - mostBroken; others > 0 {
		g.tell(s, fmt.Errorf("%s: other lines that are no runs: %d", historyFile, others))
	}
	return runs
}

// describeRun says on which machine the run was made, and what it left out.
func describeRun(s *page.Section[page.Counts], results *report.Results) {
	if results.Machine != (machine.Machine{}) {
		s.Machine = new(results.Machine)
	}
	if results.Shard != "" {
		s.Notes = append(s.Notes, "only shard "+results.Shard+" was counted")
	}
	if results.Filtered {
		s.Notes = append(s.Notes, "not all benches were asked for; pins of the others stand without a count")
	}
}

// joinBenches returns what was counted, and the pins of what was not, by name.
func joinBenches(results *report.Results, file *budget.File) []page.Bench {
	var benches []page.Bench
	seen := make(map[string]bool)
	if results != nil {
		for _, b := range results.Benches {
			seen[b.Bench] = true
			benches = append(benches, withLimits(page.Bench{Bench: b}))
		}
	}
	for _, pin := range file.Pins {
		if !seen[pin.Bench] {
			benches = append(benches, withLimits(page.Bench{Bench: report.Bench{
				Bench: pin.Bench, Verdict: page.NotCounted, Runs: []int64{}, Band: string(file.BandOf(pin)), Pin: report.NewPin(pin),
			}}))
		}
	}
	slices.SortFunc(benches, func(a, b page.Bench) int { return strings.Compare(a.Bench.Bench, b.Bench.Bench) })
	return benches
}

// withLimits adds where the band ends.
func withLimits(b page.Bench) page.Bench {
	band, err := budget.ParseBand(b.Band)
	if b.Pin != nil && err == nil {
		least, most := band.Limits(b.Pin.Total)
		b.Least, b.Most = &least, &most
	}
	return b
}

// addFlame adds the flame graph that `mage profile` has made, if it has.
func (g *gatherer) addFlame(b *page.Bench) {
	path := count.ProfilePath(filepath.Join("target", "perf", "pprof"), b.Bench.Bench)
	path = strings.TrimSuffix(path, ".callgrind") + ".svg"
	svg, err := os.ReadFile(filepath.Join(g.root, path))
	if err != nil {
		return
	}
	inside, err := filepath.Rel(filepath.FromSlash(reportFolder), path)
	if err == nil {
		b.Flame, b.FlameSVG = filepath.ToSlash(inside), svg
	}
}
