package tasks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/coverage"
	"github.com/perfpin/perfpin/tasks/gocommand"
	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/report/page"
)

// A measurement is what is measured before a report is made.
type measurement struct {
	parts            []string // of measurable; none where everything is only gathered
	packages         []string // whose tests are run
	command, prepare *string
}

// measurable names what a report can measure: the clock last, when nothing else runs,
// and the sizes before it, which build what it times.
func measurable() []string { return []string{"coverage", "sizes", "clock"} }

// read checks the flags and reports all that are wrong.
func (m *measurement) read(measure *bool, only, packages *string) error {
	var errs []error
	if measure != nil && *measure {
		m.parts = measurable()
	} else {
		for name, flag := range map[string]*string{"only": only, "packages": packages, "command": m.command, "prepare": m.prepare} {
			if flag != nil {
				errs = append(errs, fmt.Errorf("-%s=%s: says how to measure, and nothing is measured without -measure", name, *flag))
			}
		}
	}
	if only != nil {
		wanted := strings.Split(*only, ",")
		for _, name := range wanted {
			if !slices.Contains(measurable(), name) {
				errs = append(errs, fmt.Errorf("-only=%s: got %q, want some of %s", *only, name, strings.Join(measurable(), ",")))
			}
		}
		m.parts = slices.DeleteFunc(m.parts, func(name string) bool { return !slices.Contains(wanted, name) })
	}
	if patterns, err := readPatterns(packages); err != nil {
		errs = append(errs, err)
	} else if patterns != nil {
		m.packages = patterns
	}
	if m.prepare != nil && m.command == nil {
		errs = append(errs, fmt.Errorf("-prepare=%s: prepares a -command, and there is none", *m.prepare))
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// run measures and keeps what is asked for, and returns what could not be, and why.
func (m measurement) run(ctx context.Context, root string, steps chan<- report.Step) map[string]error {
	if len(m.parts) == 0 {
		return nil
	}
	failed := make(map[string]error)
	goCommand, err := gocommand.Open(ctx, root)
	measure := map[string]func(context.Context, gocommand.Go, chan<- report.Step) error{
		"coverage": m.coverage, "sizes": m.sizes, "clock": m.clock,
	}
	for _, name := range m.parts {
		if err != nil {
			failed[name] = err
			continue
		}
		if err := measure[name](ctx, goCommand, steps); err != nil {
			failed[name] = err
		}
	}
	return failed
}

// origin describes a measurement that is made now.
func origin(ctx context.Context, root string) page.Origin {
	hash, dirty := commitOf(ctx, root)
	return page.Origin{
		Measured: new(time.Now().UTC().Truncate(time.Second)), Commit: hash, Dirty: dirty, Machine: new(machine.Here()),
	}
}

// coverage runs the tests. What they reach is kept where some fail, too, with a note.
func (m measurement) coverage(ctx context.Context, g gocommand.Go, steps chan<- report.Step) error {
	steps <- report.Step{What: "run the tests for their coverage", Notable: true}
	folder := filepath.Join(g.Root, filepath.FromSlash(reportFolder))
	log := filepath.Join(folder, "coverage.log")
	if err := os.Remove(log); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var failing []string
	s := page.Section[page.Coverage]{Origin: origin(ctx, g.Root), Notes: []string{}}
	reached, testErr := coverage.Measure(ctx, coverage.Options{
		Go: g, Packages: m.packages, Dir: filepath.Join(folder, "coverage"), Log: log,
		Line: func(line string) {
			fields := strings.Fields(line)
			switch {
			case len(fields) < 2:
			case fields[0] == "ok":
				steps <- report.Step{What: "tested " + fields[1]}
			case fields[0] == "FAIL" && strings.Contains(line, "\t"):
				failing = append(failing, fields[1])
			}
		},
	})
	if reached == nil {
		return testErr
	}
	if m.packages[0] != "./..." {
		s.Notes = append(s.Notes, "only the tests of "+strings.Join(m.packages, " ")+" were run")
	}
	if testErr != nil {
		s.Notes = append(s.Notes, "some tests failed, in "+strings.Join(failing, ", "))
	}
	s.Data = new(sumCoverage(reached, g.Module))
	return errors.Join(testErr, keep(g.Root, "coverage", s))
}

// sumCoverage names packages by their path in the module, and sums them up.
func sumCoverage(reached []coverage.Reached, module string) page.Coverage {
	c := page.Coverage{Packages: []page.Covered{}}
	for _, r := range reached {
		covered := page.Covered(r)
		covered.Package = inModule(r.Package, module)
		c.Packages = append(c.Packages, covered)
		c.Total.Statements += r.Statements
		c.Total.Unit += r.Unit
		c.Total.EndToEnd += r.EndToEnd
		c.Total.Both += r.Both
	}
	return c
}

// inModule is a package's path inside the module, and the module's own for its root.
func inModule(importPath, module string) string {
	inside, found := strings.CutPrefix(importPath, module+"/")
	if !found {
		return importPath
	}
	return inside
}

// sizes builds the module's commands into target/report/bin.
func (m measurement) sizes(ctx context.Context, g gocommand.Go, steps chan<- report.Step) error {
	commands, err := g.Commands(ctx)
	if err != nil {
		return err
	}
	before, err := readKept[page.Sizes](g.Root, "sizes")
	if err != nil || before.Data == nil {
		before.Data = &page.Sizes{}
	}
	s := page.Section[page.Sizes]{Origin: origin(ctx, g.Root), Notes: []string{}}
	s.Data = &page.Sizes{Go: g.Version, Target: g.Target, Programs: []page.Size{}}
	if len(commands) == 0 {
		s.Notes = append(s.Notes, "the module has no command")
	}
	var errs []error
	for i, command := range commands {
		steps <- report.Step{What: "build " + command, Done: i, Total: len(commands), Notable: true}
		program := filepath.Join(g.Root, filepath.FromSlash(reportFolder), "bin", path.Base(command))
		stripped, err := g.Build(ctx, command, program, "-ldflags=-s -w")
		whole, err2 := g.Build(ctx, command, program)
		if err := errors.Join(err, err2); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", command, err))
			continue
		}
		size := page.Size{Package: inModule(command, g.Module), Bytes: whole, Stripped: stripped}
		for _, old := range before.Data.Programs {
			if old.Package == size.Package && before.Data.Target == g.Target {
				size.Before = new(old.Stripped)
			}
		}
		s.Data.Programs = append(s.Data.Programs, size)
	}
	return errors.Join(append(errs, keep(g.Root, "sizes", s))...)
}
