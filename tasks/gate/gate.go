// Package gate judges counts against pins. It is pure: it reads nothing and
// prints nothing.
//
// # Verdicts
//
// Judge walks the union of the counts and the pins, so that a benchmark that
// was deleted does not pass silently.
//
//	within          inside the band, and allocations and bytes as pinned
//	regressed       above the band, or more allocations or bytes than pinned
//	improved        below the band, or fewer allocations or bytes, and nothing regressed
//	unpinned        a count without a pin
//	missing         a pin without a count, on an unfiltered run
//	failed          there is no count, or none that can be judged
//	not comparable  the platform is not the pinned one
//
// The band is inclusive and exact: no floating point. Allocations and bytes
// have no band. They are judged where they are pinned.
//
// # Runs that disagree
//
// A count that did not settle is judged by all of its runs: it is within,
// regressed or improved when every run is on that side of the band. Where they
// are on different sides, no answer holds, and the verdict is failed.
//
// # Another platform
//
// Pins say nothing on a platform that they were not taken on: everything but
// failed is then not comparable, also a bench without a pin and a pin without a
// bench, since build tags and targets decide which benches exist. A file
// without any pins has no platform to differ from.
package gate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/count"
)

// A Kind is the outcome for one bench. The strings are fixed: they stand in
// results.json.
type Kind string

const (
	Within        Kind = "within"
	Regressed     Kind = "regressed"
	Improved      Kind = "improved"
	Unpinned      Kind = "unpinned"
	Missing       Kind = "missing"
	Failed        Kind = "failed"
	NotComparable Kind = "not comparable"
)

// Kinds returns all kinds, the best first.
func Kinds() []Kind {
	return []Kind{Within, Improved, Regressed, Unpinned, Missing, NotComparable, Failed}
}

// A Verdict is what Judge says about one bench.
type Verdict struct {
	Bench string // or the name of a package that could not be counted at all
	Kind  Kind
	// Count is nil where nothing was counted, or nothing that makes sense; Err
	// then tells why.
	Count *count.Count
	Pin   *budget.Pin // nil where there is none
	Band  budget.Band // that holds for Pin; "" without one
	// Moved names what left its budget, when regressed or improved: "instructions",
	// "allocs", "bytes", with both values.
	Moved []string
	// Differences from the pinned platform, when not comparable.
	Differences []budget.Difference
	Err         error // why, when failed
}

// Varies tells whether the runs of the count disagree.
func (v *Verdict) Varies() bool {
	return v.Count != nil && !v.Count.Settled && len(v.Count.Runs) > 1
}

// Delta returns measured minus pinned instructions of all operations; false
// where there are not both, or they are of different numbers of operations.
func (v *Verdict) Delta() (int64, bool) {
	if v.Count == nil || v.Pin == nil || v.Count.Iters != v.Pin.Iters {
		return 0, false
	}
	return v.Count.Total - v.Pin.Total(), true
}

// DeltaPerOperation returns Delta as a decimal per operation, "-0.5"; false
// where there is no Delta.
func (v *Verdict) DeltaPerOperation() (string, bool) {
	delta, ok := v.Delta()
	switch {
	case !ok:
		return "", false
	case delta < 0:
		return "-" + string(budget.PerOperation(-delta, v.Count.Iters)), true
	}
	return string(budget.PerOperation(delta, v.Count.Iters)), true
}

// PerOperation returns the measured instructions, allocations and bytes per
// operation, as budgets.toml writes them; false without a count.
func (v *Verdict) PerOperation() (ir, allocs, bytes budget.Decimal, ok bool) {
	if v.Count == nil || v.Count.Iters < 1 {
		return "", "", "", false
	}
	n := v.Count.Iters
	return budget.PerOperation(v.Count.Total, n), budget.PerOperation(v.Count.Allocs, n),
		budget.PerOperation(v.Count.Bytes, n), true
}

// Options say what kind of run was judged.
type Options struct {
	// Filtered tells that only some of the benches were counted: a pin without a
	// count is then no finding.
	Filtered bool
	// Broken holds the packages whose benches could not be listed. Their pins are
	// failed, not missing.
	Broken BrokenPackages
}

// Judge returns one Verdict for each bench that has a count or a pin, and one
// for each broken package, sorted by Bench. The platform here is that of the
// counts: its Libc is that of the measured binaries, "static" where all are.
func Judge(counts []count.Count, file *budget.File, here budget.Platform, opts Options) []Verdict {
	var differences []budget.Difference
	if len(file.Pins) > 0 {
		differences = file.Pinned.Diff(here)
	}
	var verdicts []Verdict
	counted := make(map[string]bool)
	for i := range counts {
		c := &counts[i]
		v := judgeCount(c, file, differences)
		if counted[c.Bench] && c.Err == nil {
			v = Verdict{Bench: c.Bench, Kind: Failed, Err: errors.New("was counted twice in one run")}
		}
		counted[c.Bench] = true
		verdicts = append(verdicts, v)
	}
	for _, pkg := range opts.Broken {
		verdicts = append(verdicts, Verdict{Bench: pkg.Name, Kind: Failed, Err: pkg.Err})
	}
	for _, pin := range file.Pins {
		if counted[pin.Bench] {
			continue
		}
		if v, ok := judgeUncounted(pin, differences, opts); ok {
			v.Band = file.BandOf(pin)
			verdicts = append(verdicts, v)
		}
	}
	slices.SortStableFunc(verdicts, func(a, b Verdict) int { return cmp.Compare(a.Bench, b.Bench) })
	return verdicts
}

// judgeUncounted judges a pin without a count; false where that says nothing.
func judgeUncounted(pin *budget.Pin, differences []budget.Difference, opts Options) (Verdict, bool) {
	v := Verdict{Bench: pin.Bench, Pin: pin, Kind: Missing}
	if pkg, broken := opts.Broken.Of(pin.Bench); broken {
		v.Kind = Failed
		v.Err = fmt.Errorf("not counted: package %s failed", pkg.Name)
		return v, true
	}
	if differences != nil {
		v.Kind, v.Differences = NotComparable, differences
	}
	return v, !opts.Filtered
}

func judgeCount(c *count.Count, file *budget.File, differences []budget.Difference) Verdict {
	v := Verdict{Bench: c.Bench, Count: c}
	if pin, ok := file.Pin(c.Bench); ok {
		v.Pin, v.Band = pin, file.BandOf(pin)
	}
	switch {
	case c.Err != nil:
		v.Kind, v.Err, v.Count = Failed, c.Err, nil
	case c.Allocs < 0 || c.Bytes < 0:
		v.Kind, v.Count = Failed, nil
		v.Err = fmt.Errorf("counted %d allocations and %d bytes: neither can be negative", c.Allocs, c.Bytes)
	case c.Iters < 1 || c.Total < c.Iters:
		v.Kind, v.Count = Failed, nil
		v.Err = fmt.Errorf("counted %d instructions in %d operations: want at least one an operation", c.Total, c.Iters)
	case differences != nil:
		v.Kind, v.Differences = NotComparable, differences
	case v.Pin == nil:
		v.Kind = Unpinned
	case c.Iters != v.Pin.Iters:
		v.Kind = Failed
		v.Err = fmt.Errorf("counted %d operations, but the pin is of %d", c.Iters, v.Pin.Iters)
	default:
		compare(&v)
	}
	return v
}
