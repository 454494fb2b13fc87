package report

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/perfpin/perfpin/tasks/gate"
)

// A Place is where budgets.toml stands.
type Place struct {
	// File is its path from the repository's root.
	File string
	// NewLine is where a bench that has no pin would get one.
	NewLine int
	// PinnedLine is where the platform of the pins is told.
	PinnedLine int
	// Strict tells that another platform than the pinned one fails the run.
	Strict bool
}

// mostAnnotations is how many of one level GitHub shows of a step (docs/problem-matchers.md
// of github.com/actions/toolkit, Limitations).
const mostAnnotations = 10

// mostMessage bounds a message in bytes: a bench may fail with a long text, and what
// GitHub's checks API takes is 64 KB.
const mostMessage = 4096

// Annotations writes the verdicts that fail as GitHub workflow commands, the worst
// first, each at its pin's line; and a failed run without verdicts as the error says.
func Annotations(w io.Writer, results *Results, outcome error, at Place) error {
	var out strings.Builder
	if results == nil {
		if outcome != nil {
			annotateError(&out, outcome, at)
		}
	} else {
		annotateBenches(&out, *results, at)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func annotateBenches(out *strings.Builder, results Results, at Place) {
	if results.Differences != nil {
		level := "warning"
		if at.Strict {
			level = "error"
		}
		writeAnnotation(out, level, at.File, at.PinnedLine, "perfpin: not comparable",
			tellDifferences(results.Differences)+"\nhint: "+hintPlatform(results.Differences))
	}
	var failing []Bench
	for _, b := range results.Benches {
		if b.Verdict != gate.Within && b.Verdict != gate.NotComparable {
			failing = append(failing, b)
		}
	}
	slices.SortStableFunc(failing, func(a, b Bench) int { return cmp.Compare(rank(b.Verdict), rank(a.Verdict)) })
	left := 0
	if most := mostAnnotations; len(failing) > most-1 {
		// One is kept for a platform that differs or for what is left out.
		left = len(failing) - (most - 1)
		failing = failing[:most-1]
	}
	for _, b := range failing {
		line := at.NewLine
		if b.Pin != nil {
			line = b.Pin.Line
		}
		writeAnnotation(out, "error", at.File, line, "perfpin: "+string(b.Verdict)+": "+escape(b.Bench), tellBench(b))
	}
	if left > 0 {
		writeAnnotation(out, "notice", at.File, at.NewLine, "perfpin", fmt.Sprintf("benches that failed and are not shown here: %d", left))
	}
}

// tellBench says what is wrong with a bench, and what helps.
func tellBench(b Bench) string {
	pin := "go tool mage pin -bench=" + escape(QuoteShell("^"+regexp.QuoteMeta(b.Bench)+"$"))
	switch b.Verdict {
	case gate.Regressed:
		return tellMovedBy(b) + "\nhint: " + pin + "  # if it is meant"
	case gate.Improved:
		return tellMovedBy(b) + "\nhint: " + pin + "  # to lock it in"
	case gate.Unpinned:
		return "has no line in budgets.toml\nhint: " + pin
	case gate.Missing:
		return "is pinned, but there is no such bench\nhint: go tool mage pin"
	}
	return escapeLines(b.Error)
}

// tellMovedBy says what left its budget, and by which functions.
func tellMovedBy(b Bench) string {
	return strings.Join(append([]string{tellMoved(b)}, b.ToldFunctions()...), "\n")
}

// tellMoved says what left its budget, and by how much.
func tellMoved(b Bench) string {
	text := strings.Join(b.Moved, "; ")
	if b.Delta != nil && b.Pin != nil && b.Iters != nil {
		text += fmt.Sprintf(" (in %s operations; instructions %s, band %s)",
			group(strconv.FormatInt(*b.Iters, 10)), percent(*b.Delta, b.Pin.Total), b.Band)
	}
	return text
}

func tellDifferences(differences []Difference) string {
	var parts []string
	for _, d := range differences {
		parts = append(parts, fmt.Sprintf("%s is %q, pinned %q", d.Field, d.Here, d.Pinned))
	}
	return strings.Join(parts, "; ")
}

// annotateError annotates each line of budgets.toml that the error names, and what
// else it says once.
func annotateError(out *strings.Builder, outcome error, at Place) {
	text := escapeLines(outcome.Error())
	named := 0
	for _, match := range regexp.MustCompile(`(?m)^budgets\.toml:([0-9]{1,9}): (.*)$`).FindAllStringSubmatch(text, mostAnnotations) {
		line, err := strconv.Atoi(match[1])
		if err == nil {
			writeAnnotation(out, "error", at.File, line, "perfpin", match[2])
			named++
		}
	}
	if named == 0 {
		writeAnnotation(out, "error", "", 0, "perfpin", text)
	}
}

// writeAnnotation writes one command, as
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
// describes them. A file of "" names no place.
func writeAnnotation(out *strings.Builder, level, file string, line int, title, message string) {
	if len(message) > mostMessage {
		message = strings.ToValidUTF8(message[:mostMessage], "") + "…"
	}
	out.WriteString("::" + level + " ")
	if file != "" {
		fmt.Fprintf(out, "file=%s,line=%d,", escapeProperty(file), line)
	}
	fmt.Fprintf(out, "title=%s::%s\n", escapeProperty(title), escapeMessage(message))
}

// escapeMessage and escapeProperty write text as the runner reads it back
// (src/Runner.Common/ActionCommand.cs of github.com/actions/runner).
func escapeMessage(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func escapeProperty(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
