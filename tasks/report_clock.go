package tasks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/gocommand"
	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/report/page"
	"github.com/perfpin/perfpin/tasks/tool"
	"github.com/perfpin/perfpin/tasks/wallclock"
)

// clockScript is what a module times where no -command is given: with the argument run
// it is timed, and with prepare it removes what the last run left.
const clockScript = "scripts/clock.sh"

// clockTimeout is far above what the runs of a command take that is worth timing so.
const clockTimeout = 10 * time.Minute

// clock times the command with hyperfine, or else the module's benchmarks.
func (m measurement) clock(ctx context.Context, g gocommand.Go, steps chan<- report.Step) error {
	command, prepare := m.clocked(g.Root)
	hyperfine, err := tool.Find("hyperfine", "apt-get install hyperfine")
	note := "hyperfine cannot be found on PATH (apt-get install hyperfine): Go's benchmarks are timed in its place"
	if err == nil && command != "" {
		return timeCommand(ctx, g, hyperfine, command, prepare, steps)
	}
	if err == nil {
		note = "there is no command to time, neither -command nor " + clockScript + ": Go's benchmarks are timed in its place"
	}
	return timeBenchmarks(ctx, g, note, steps)
}

// clocked returns the command that is timed, "" for none, and what prepares it.
func (m measurement) clocked(root string) (command, prepare string) {
	if m.command != nil {
		if m.prepare != nil {
			prepare = *m.prepare
		}
		return *m.command, prepare
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(clockScript))); err != nil {
		return "", ""
	}
	return clockScript + " run", clockScript + " prepare"
}

// timeCommand has hyperfine run the command in the module's folder, and keeps its own
// exports beside the report.
func timeCommand(ctx context.Context, g gocommand.Go, hyperfine, command, prepare string, steps chan<- report.Step) error {
	steps <- report.Step{What: "time " + command, Notable: true}
	folder := filepath.Join(g.Root, filepath.FromSlash(reportFolder))
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	version, err := tool.Version(ctx, hyperfine, "--version")
	if err != nil {
		return err
	}
	export := filepath.Join(folder, "hyperfine.json")
	args := []string{
		"--style=none", "--warmup=3", "--export-json=" + export, "--export-markdown=" + filepath.Join(folder, "hyperfine.md"),
	}
	// What needs no shell is timed without one: its start takes longer than that of many
	// commands, and hyperfine can only subtract the mean of it.
	if !strings.ContainsAny(command+prepare, "|&;<>()$`*?[#~%\n") {
		args = append(args, "-N")
	}
	if prepare != "" {
		args = append(args, "--prepare="+prepare)
	}
	err = tool.Command{
		Path: hyperfine, Args: append(args, "--", command), Dir: g.Root,
		Env: cleanenv.Tool(os.Environ()), Log: filepath.Join(folder, "hyperfine.log"), Timeout: clockTimeout,
	}.Run(ctx)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(export)
	if err != nil {
		return err
	}
	timings, err := wallclock.ReadHyperfine(reportFolder+"/hyperfine.json", data)
	if err != nil {
		return err
	}
	s := page.Section[page.Clock]{Origin: origin(ctx, g.Root), Notes: []string{}, Data: &page.Clock{Timer: version}}
	for _, t := range timings {
		s.Data.Times = append(s.Data.Times, page.Time{
			Name: t.Command, Runs: len(t.Times), Median: t.Median, Least: t.Min, Most: t.Max, Mean: t.Mean,
			Stddev: t.Stddev, User: &t.User, System: &t.System, Prepare: prepare,
		})
	}
	return keep(g.Root, "clock", s)
}

// timeBenchmarks runs the module's benchmarks a few times, each for a moment.
func timeBenchmarks(ctx context.Context, g gocommand.Go, note string, steps chan<- report.Step) error {
	steps <- report.Step{What: "time the benchmarks", Notable: true}
	t, err := readTiming(nil, nil, new(5), new(100*time.Millisecond), nil, nil)
	if err != nil {
		return err
	}
	t.root = g.Root
	var shown bytes.Buffer
	text, err := t.run(ctx, &shown)
	if err != nil {
		return fmt.Errorf("%s\n%w", lastLines(shown.String()), err)
	}
	set, err := wallclock.Read("benchmarks", text)
	if err != nil {
		return err
	}
	s := page.Section[page.Clock]{Origin: origin(ctx, g.Root), Notes: []string{note}}
	s.Data = clockOf(set)
	return keep(g.Root, "clock", s)
}

// lastLines is the end of an output, where an error stands.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}

func clockOf(set *wallclock.Set) *page.Clock {
	c := &page.Clock{Timer: "go test -bench", Times: []page.Time{}}
	for _, sum := range set.Summaries() {
		c.Times = append(c.Times, page.Time{
			Name: sum.Bench, Runs: sum.Runs, Median: sum.Median, Least: sum.Least, Most: sum.Most, Mean: sum.Mean,
		})
	}
	return c
}

// clock returns what was timed for a report, or else what `mage bench` kept last.
func (g *gatherer) clock() page.Section[page.Clock] {
	_, err := readKept[page.Clock](g.root, "clock")
	name, info := latest(g.root)
	if name == "" || g.failed["clock"] != nil || !errors.Is(err, errNotMeasured) {
		return loadSection[page.Clock](g, "clock")
	}
	s := page.Section[page.Clock]{Notes: []string{}}
	set, err := readBenchmarks(g.root, name)
	if err != nil {
		fail(g, &s, err)
		return s
	}
	s.Data = clockOf(set)
	s.Notes = append(s.Notes, "from "+filepath.ToSlash(name)+", which does not say of which commit it is")
	s.Notes = append(s.Notes, set.Problems...)
	s.Measured = new(info.ModTime().UTC().Truncate(time.Second))
	// The number is one that `mage bench` has written.
	processors, _ := strconv.Atoi(set.Config["processors"])
	s.Machine = &machine.Machine{CPU: set.Config["cpu"], Processors: processors}
	return s
}

func readBenchmarks(root, name string) (*wallclock.Set, error) {
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return nil, err
	}
	return wallclock.Read(name, data)
}

// latest returns the path of the newest results of `mage bench`, "" where there are none.
func latest(root string) (string, os.FileInfo) {
	// The pattern is well formed.
	paths, _ := fs.Glob(os.DirFS(root), "target/bench/*.txt")
	var newest os.FileInfo
	slices.Sort(paths)
	for _, path := range paths {
		if info, err := os.Stat(filepath.Join(root, path)); err == nil && (newest == nil || info.ModTime().After(newest.ModTime())) {
			newest = info
		}
	}
	if newest == nil {
		return "", nil
	}
	return filepath.Join("target", "bench", newest.Name()), newest
}
