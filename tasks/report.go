package tasks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/atomicfile"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/gocommand"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/report/page"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Report gathers what has been measured into target/report: index.html, report.md and report.json. It is
// written also where a part of it cannot be made; that part says why.
func Report(ctx context.Context,
	measure *bool, // first measure coverage, program sizes and wall-clock time
	only *string, // of these, measure only some, as coverage,sizes,clock
	packages *string, // with -measure, run the tests of these packages for the coverage, as ./wire,./internal/...; default: all
	command *string, // with -measure, the command that hyperfine times; default: scripts/clock.sh run, where there is one
	prepare *string, // with -measure, what is run before each run of the command, to remove what the last one left; default: scripts/clock.sh prepare
) error {
	m := measurement{packages: []string{"./..."}, command: command, prepare: prepare}
	if err := m.read(measure, only, packages); err != nil {
		return err
	}
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	root, err := gocommand.CurrentModule()
	if err != nil {
		return err
	}
	return makeReport(ctx, newConsole(), root, m)
}

// reportFolder is where the report is written, and what is measured for it kept.
const reportFolder = "target/report"

// makeReport measures what is asked for and writes the report. Its error says how many
// parts could not be read or measured; what has just not been measured yet is none.
func makeReport(ctx context.Context, c console, root string, m measurement) error {
	steps, finish := c.follow()
	failed := m.run(ctx, root, steps)
	if ctx.Err() != nil {
		finish()
		return context.Cause(ctx)
	}
	steps <- report.Step{What: "gather"}
	g := gatherer{root: root, now: time.Now(), failed: failed}
	r := g.gather(ctx)
	finish()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	paths, err := writeReport(root, r)
	for _, path := range paths {
		fmt.Fprintln(c.out, path)
	}
	if err != nil {
		return err
	}
	for _, told := range g.told {
		c.say("%v", told)
	}
	for _, problem := range g.problems {
		c.say("%v", problem)
	}
	if n := len(g.problems); n > 0 {
		return &gate.ExitError{Status: gate.StatusFailed, Text: fmt.Sprintf("report: parts that could not be read or measured: %d", n)}
	}
	return nil
}

// writeReport returns the paths of what it has written, relative to the module.
func writeReport(root string, r page.Report) ([]string, error) {
	var html, markdown, machine bytes.Buffer
	if err := errors.Join(r.HTML(&html), r.Markdown(&markdown), r.JSON(&machine)); err != nil {
		return nil, err
	}
	var paths []string
	for _, file := range []struct {
		name string
		data []byte
	}{{"index.html", html.Bytes()}, {"report.md", markdown.Bytes()}, {"report.json", machine.Bytes()}} {
		path := reportFolder + "/" + file.name
		if err := atomicfile.Write(filepath.Join(root, filepath.FromSlash(path)), file.data); err != nil {
			return paths, err // what stops one stops all
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// A gatherer reads what is stored.
type gatherer struct {
	root string
	now  time.Time
	// failed says which parts could just not be measured, and why.
	failed map[string]error
	// problems are what makes the report fail, told what is only said.
	problems, told []error
}

func (g *gatherer) gather(ctx context.Context) page.Report {
	r := page.Report{Schema: page.Schema, Written: g.now.UTC().Truncate(time.Second)}
	r.Commit, r.Dirty = commitOf(ctx, g.root)
	goCommand, err := gocommand.Open(ctx, g.root)
	if err != nil {
		g.problems = append(g.problems, err)
	}
	r.Module = goCommand.Module
	if r.Module == "" {
		r.Module = filepath.Base(g.root)
	}
	r.Counts = g.counts(ctx)
	r.Clock = g.clock()
	r.Throughput = g.throughput()
	r.Coverage = loadSection[page.Coverage](g, "coverage")
	r.Sizes = loadSection[page.Sizes](g, "sizes")
	return r
}

// explain splits an error into what a section says of it and the command that helps.
func (g *gatherer) explain(err error) (problem, hint string) {
	text := withoutPaths(err, g.root).Error()
	lines := strings.Split(text, "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "hint: ") })
	if at < 0 {
		return text, ""
	}
	hint = strings.TrimPrefix(lines[at], "hint: ")
	return strings.Join(slices.Delete(lines, at, at+1), "\n"), hint
}

// fail makes a section say why it has no figures.
func fail[T any](g *gatherer, s *page.Section[T], err error) {
	s.Problem, s.Hint = g.explain(err)
	g.problems = append(g.problems, withoutPaths(err, g.root))
}

// lack makes a section say that nothing has been measured yet, which is no failure.
func lack[T any](s *page.Section[T], problem, hint string) { s.Problem, s.Hint = problem, hint }
