package tasks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/git"
	"github.com/perfpin/perfpin/tasks/gocommand"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Ci does all that a CI job has to: bootstrap, perf -strict, report, and a summary; it exits as perf does.
func Ci(ctx context.Context,
	strict *bool, // default true; with -strict=false another platform than the pinned one is only reported
	from *string, // count nothing: join the results of these shards, as 'target/shards/*'
	packages *string, // only these packages, as ./wire,./internal/...
	jobs *int, // how many benches are counted at once; default: one a processor
	timeout *time.Duration, // longest time of one run of a bench; default 2m
	memory *int, // most memory of one run of a bench, in MiB; default 4096
) error {
	selection, err := flags{packages: packages, jobs: jobs, timeout: timeout, memory: memory}.read()
	if err != nil {
		return err
	}
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	root, err := gocommand.CurrentModule()
	if err != nil {
		return err
	}
	j := job{console: newConsole(), root: root, selection: selection, strict: strict == nil || *strict}
	if from != nil {
		j.from = *from
	}
	return j.run(ctx)
}

// A job is one run of Ci.
type job struct {
	console   console
	root      string
	selection selection
	from      string // "" where benches are counted
	strict    bool
}

// run writes the report and the summary whatever the gate says, and returns what the
// gate said as it is: Mage asks that error for the exit status.
func (j job) run(ctx context.Context) error {
	// What an earlier run has left must not be taken for this one's.
	for _, name := range []string{"results.json", "results.txt"} {
		if err := os.Remove(filepath.Join(j.root, "target", "perf", name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	results, outcome := j.gate(ctx)
	errs := []error{
		makeReport(ctx, j.console, j.root, measurement{}),
		j.summarize(results, outcome),
		j.annotate(ctx, results, outcome),
	}
	if outcome == nil {
		return firstOf(errs)
	}
	for _, err := range errs {
		if err != nil {
			j.console.say("%v", err)
		}
	}
	return outcome
}

// firstOf returns the only error as it is, and several as one.
func firstOf(errs []error) error {
	var only error
	for _, err := range errs {
		if only != nil && err != nil {
			return errors.Join(errs...)
		}
		if err != nil {
			only = err
		}
	}
	return only
}

// gate returns what was judged, nil where nothing could be.
func (j job) gate(ctx context.Context) (*report.Results, error) {
	if j.from != "" {
		return mergeShards(ctx, j.console, j.from, j.strict)
	}
	steps, finish := j.console.follow()
	v, err := bootstrap(ctx, j.root, steps)
	finish()
	if err != nil {
		return nil, err
	}
	j.console.tell(v)
	return gating{selection: j.selection, strict: j.strict, countsBase: true}.run(ctx, j.console)
}

// onGitHub tells whether this is a step of a GitHub Actions job
// (https://docs.github.com/en/actions/reference/workflows-and-actions/variables).
func onGitHub() bool { return os.Getenv("GITHUB_ACTIONS") == "true" }

// annotate prints workflow commands where GitHub reads them.
func (j job) annotate(ctx context.Context, results *report.Results, outcome error) error {
	if !onGitHub() {
		return nil
	}
	at := report.Place{File: budgetsFile, NewLine: headerLine(j.root, "[budgets]"), PinnedLine: headerLine(j.root, "[pinned]"), Strict: j.strict}
	// Without Git, the module is taken to be the repository.
	if r, err := git.Open(ctx, j.root); err == nil {
		at.File = r.Prefix + budgetsFile
	}
	return report.Annotations(j.console.out, results, outcome, at)
}

// headerLine returns the line of budgets.toml that a table begins at, or the first where
// there is none.
func headerLine(root, header string) int {
	// A file that cannot be read has been told of.
	text, _ := os.ReadFile(filepath.Join(root, budgetsFile))
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), header) {
			return i + 1
		}
	}
	return 1
}

// summarize writes target/report/summary.md, and adds it to GitHub's page of the job.
func (j job) summarize(results *report.Results, outcome error) error {
	path := filepath.Join(j.root, filepath.FromSlash(reportFolder), "summary.md")
	err := writeSummary(path, os.O_TRUNC, results, outcome)
	if page := os.Getenv("GITHUB_STEP_SUMMARY"); onGitHub() && page != "" {
		if pageErr := writeSummary(page, os.O_APPEND, results, outcome); pageErr != nil {
			// The gate's answer does not depend on it.
			j.console.say("GITHUB_STEP_SUMMARY: %v", pageErr)
		}
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(j.console.out, reportFolder+"/summary.md")
	return nil
}

// mostSummary is what GitHub takes of one step, in bytes: with more, it takes nothing
// (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands,
// Step isolation and limits).
const mostSummary = 1 << 20

// writeSummary writes or, with os.O_APPEND, adds to a file. There, what other
// commands of the step have written counts too.
func writeSummary(path string, how int, results *report.Results, outcome error) (err error) {
	if how == os.O_TRUNC {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|how, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := report.Summary(file, results, outcome, mostSummary-int(info.Size())); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
