package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The exit statuses. 2 is Mage's own, for a usage error.
const (
	StatusPass          = 0
	StatusFailed        = 1 // something could not be measured
	StatusGate          = 3 // the gate failed
	StatusNotComparable = 4 // with strict only
)

// Status returns the exit status of a run: 1 beats 3, and 3 beats 4.
func Status(verdicts []Verdict, strict bool) int {
	counts := Tally(verdicts)
	switch {
	case counts[Failed] > 0:
		return StatusFailed
	case counts[Regressed]+counts[Improved]+counts[Unpinned]+counts[Missing] > 0:
		return StatusGate
	case strict && counts[NotComparable] > 0:
		return StatusNotComparable
	}
	return StatusPass
}

// Tally counts the verdicts of each kind.
func Tally(verdicts []Verdict) map[Kind]int {
	counts := make(map[Kind]int)
	for _, v := range verdicts {
		counts[v.Kind]++
	}
	return counts
}

// An ExitError carries an exit status out of a Mage target. Mage asks the
// returned error itself, not what it wraps (mg.ExitStatus), so a target returns
// it as it is.
type ExitError struct {
	Status int
	Text   string
}

func (e *ExitError) Error() string   { return e.Text }
func (e *ExitError) ExitStatus() int { return e.Status }

// Conclude returns nil for a run that passes, and otherwise an *ExitError that
// counts what does not.
func Conclude(verdicts []Verdict, strict bool) error {
	status := Status(verdicts, strict)
	if status == StatusPass {
		return nil
	}
	counts := Tally(verdicts)
	var parts []string
	for _, kind := range Kinds() {
		if counts[kind] > 0 && kind != Within {
			parts = append(parts, fmt.Sprintf("%d %s", counts[kind], kind))
		}
	}
	return &ExitError{status, tellOf(len(verdicts), strings.Join(parts, ", "))}
}

// ConcludeFailures returns nil where nothing failed, and otherwise an *ExitError that
// says of how many benches, broken packages included, how many are what, as
// "of 3 benches: 1 not pinned".
func ConcludeFailures(all, failed int, what string) error {
	return conclude(StatusFailed, all, failed, what)
}

// ConcludeOutside is ConcludeFailures for benches that were measured, and cost or vary
// by more than they may.
func ConcludeOutside(all, outside int, what string) error {
	return conclude(StatusGate, all, outside, what)
}

func conclude(status, all, n int, what string) error {
	if n == 0 {
		return nil
	}
	return &ExitError{status, tellOf(all, fmt.Sprintf("%d %s", n, what))}
}

func tellOf(all int, parts string) string { return "of " + TellBenches(all) + ": " + parts }

// TellBenches is "1 bench" or "3 benches".
func TellBenches(n int) string {
	if n == 1 {
		return "1 bench"
	}
	return fmt.Sprintf("%d benches", n)
}

// TellTally says how many benches there are, and of which kinds, as
// "3 benches: 2 within, 1 failed": the best first, and at the end kinds that are none
// of a verdict. show makes each part; nil is "2 within".
func TellTally(tally map[Kind]int, show func(n int, kind Kind) string) string {
	if show == nil {
		show = func(n int, kind Kind) string { return fmt.Sprintf("%d %s", n, kind) }
	}
	kinds := Kinds()
	for _, kind := range slices.Sorted(maps.Keys(tally)) {
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	all := 0
	var parts []string
	for _, kind := range kinds {
		if n := tally[kind]; n > 0 {
			all += n
			parts = append(parts, show(n, kind))
		}
	}
	if parts == nil {
		return TellBenches(all)
	}
	return TellBenches(all) + ": " + strings.Join(parts, ", ")
}
