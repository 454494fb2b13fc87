package count

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/gobench"
	"github.com/perfpin/perfpin/tasks/tool"
)

// A Run is one process that counted one benchmark.
type Run struct {
	Iters, Total, Allocs, Bytes int64
	// Regions is how often counting was started.
	Regions int
	Profile Profile
}

// Once runs the benchmark once under callgrind, for iters operations after the
// warm-ups.
func (c Counter) Once(ctx context.Context, bench gobench.Bench, iters int64) (Run, error) {
	scratch, err := gobench.NewScratch()
	if err != nil {
		return Run{}, err
	}
	defer scratch.Remove()
	reports, err := os.OpenFile(scratch.Join("reports"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return Run{}, err
	}
	defer reports.Close()
	run := c.run
	if bench.Command != nil {
		// A command runs once, from start to end.
		run, iters = c.runCommand, 1
	}
	if err := run(ctx, scratch, bench, iters, reports); err != nil {
		return Run{}, gobench.ProcessError(err, scratch)
	}
	report, err := onlyReport(reports, bench.Name, iters)
	if err != nil {
		return Run{}, err
	}
	profile, err := readProfile(scratch, c.Root, report.PID)
	if err != nil {
		return Run{}, err
	}
	result := Run{
		Iters: report.Iters, Allocs: report.Allocs, Bytes: report.Bytes,
		Regions: report.Regions, Total: total(Counted(profile.Profile)), Profile: profile,
	}
	return result, result.check()
}

func (c Counter) run(ctx context.Context, scratch gobench.Scratch, bench gobench.Bench, iters int64, reports *os.File) error {
	program, err := scratch.Program(bench.Binary.Path)
	if err != nil {
		return err
	}
	env, err := c.Callgrind.env(scratch)
	if err != nil {
		return err
	}
	env = append(env, gobench.Environment("count")...)
	place, err := c.Perturbation.place(scratch, bench.Binary.Package.Dir)
	if err != nil {
		return err
	}
	args := append(c.Callgrind.args(scratch, false), program)
	return tool.Command{
		Path:    c.Callgrind.Path,
		Args:    append(args, gobench.Args(gobench.ExactPattern(bench.Name), iters)...),
		Dir:     place.dir,
		Env:     cleanenv.Measured(place.tmp, slices.Concat(env, place.env, c.Pass)),
		Files:   []*os.File{reports},
		Timeout: c.Limits.Time,
		MaxRSS:  c.Limits.Memory,
	}.Run(ctx)
}

// onlyReport returns the report of the benchmark that was asked for, which is the
// only one that a measured process runs.
func onlyReport(file *os.File, name string, iters int64) (gobench.Report, error) {
	reports, err := gobench.ReadReports(file)
	if err != nil {
		return gobench.Report{}, err
	}
	if len(reports) != 1 {
		return gobench.Report{}, fmt.Errorf("reported %d times, want once: it ran when it was listed, and does not always", len(reports))
	}
	r := reports[0]
	switch {
	case r.Name != name:
		return r, fmt.Errorf("ran %s instead", r.Name)
	case r.Outcome != "counted":
		return r, fmt.Errorf("was %s when run for %d operations, and ran when it was listed", r.Outcome, iters)
	case r.Resets != r.Expected:
		return r, fmt.Errorf("resets its timer a varying number of times: %d, and %d in the warm-up", r.Resets, r.Expected)
	case r.Regions == 0:
		return r, errors.New("the timer never ran after its last reset")
	}
	return r, nil
}

// check refuses what cannot be a count.
func (r Run) check() error {
	switch {
	case r.Iters < 1:
		return fmt.Errorf("ran %d iterations, want at least 1", r.Iters)
	case r.Total == 0:
		return errors.New("no instruction was counted")
	case r.Total < r.Iters:
		return fmt.Errorf("%d instructions were counted for %d iterations: the benchmark does not loop over b.N", r.Total, r.Iters)
	}
	return nil
}
