package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/perfpin/perfpin/tasks/gate"
)

// A finding is something to say about a verdict below the table.
type finding struct {
	kind gate.Kind
	text string // "object: what: cause"
	hint string // a command, "" where there is none or text has its own
}

// describe returns the findings, those of the best kind first. What holds for
// the whole run, a platform that differs, is said once.
func describe(verdicts []gate.Verdict) []finding {
	var findings []finding
	saidPlatform := false
	for i := range verdicts {
		v := &verdicts[i]
		switch {
		case v.Kind == gate.NotComparable && saidPlatform:
			continue
		case v.Kind == gate.NotComparable:
			saidPlatform = true
			findings = append(findings, describePlatform(v))
		case v.Kind != gate.Within:
			findings = append(findings, describeOne(v))
		case v.Varies():
			findings = append(findings, finding{kind: v.Kind, text: escape(v.Bench) + ": within, but its runs disagree: " + tellRuns(v.Count.Runs)})
		}
	}
	slices.SortStableFunc(findings, func(a, b finding) int { return cmp.Compare(rank(a.kind), rank(b.kind)) })
	return findings
}

func describeOne(v *gate.Verdict) finding {
	bench := escape(v.Bench)
	f := finding{kind: v.Kind}
	// What follows "#" is a comment to the shell too.
	pin := "go tool mage pin -bench=" + QuoteShell("^"+regexp.QuoteMeta(v.Bench)+"$")
	switch v.Kind {
	case gate.Regressed:
		f.text = bench + ": regressed: " + tellMoved(newBench(v))
		f.hint = pin + "  # if it is meant"
	case gate.Improved:
		f.text = bench + ": improved: " + tellMoved(newBench(v))
		f.hint = pin + "  # to lock it in"
	case gate.Unpinned:
		f.text = bench + ": unpinned: it has no line in budgets.toml"
		f.hint = pin
		if v.Varies() {
			f.text += ", and its runs disagree: " + tellRuns(v.Count.Runs)
		}
	case gate.Missing:
		f.text = fmt.Sprintf("%s: missing: line %d of budgets.toml pins it, but there is no such bench", bench, v.Pin.Line)
		f.hint = "go tool mage pin  # removes the line; one with -bench does not"
	case gate.Failed:
		f.text = fmt.Sprintf("%s: failed: %v", bench, v.Err)
	}
	return f
}

func describePlatform(v *gate.Verdict) finding {
	return finding{
		kind: v.Kind,
		text: "budgets.toml: not comparable: " + tellDifferences(newDifferences(v.Differences)),
		hint: hintPlatform(newDifferences(v.Differences)),
	}
}

// hintPlatform is the command that makes counts comparable again: where it is Go alone
// that differs, one that counts with the Go of the pins.
func hintPlatform(differences []Difference) string {
	if len(differences) == 1 && differences[0].Field == "go" {
		return "go tool mage perf -go=" + QuoteShell(differences[0].Pinned) + "  # with the Go of the pins; mage pin takes them all anew, with this one"
	}
	return "go tool mage pin  # takes all pins anew, here"
}

func tellRuns(runs []int64) string {
	return fmt.Sprintf("%d to %d instructions, %d distinct in %d runs",
		slices.Min(runs), slices.Max(runs), distinct(runs), len(runs))
}

func distinct(runs []int64) int {
	return len(slices.Compact(slices.Sorted(slices.Values(runs))))
}
