package budget

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Change is what Edit does to a file. The zero Change does nothing.
type Change struct {
	// Set replaces the pins of the same bench in place and inserts the others in
	// sorted position. A pin without a band keeps the one that the file has.
	Set []Pin
	// Remove takes these benches' lines out. Each must be in the file.
	Remove []string
	// Pinned replaces [pinned]; nil leaves it.
	Pinned *Platform
}

// A replacement puts text in the place of data[start:end].
type replacement struct {
	start, end int
	text       string
}

// Edit returns the text of the file with the change made, by line: comments,
// order and blank lines stay as they are, byte for byte. A pin that is not
// written as one line under [budgets] can be read but not changed; then, and
// whenever the result would not read back as the file plus exactly this change,
// Edit returns an error and no text.
func (f *File) Edit(change Change) ([]byte, error) {
	if err := f.checkChange(change); err != nil {
		return nil, err
	}
	edits := f.editPins(change)
	if change.Pinned != nil {
		more, err := f.editPinned(*change.Pinned)
		if err != nil {
			return nil, err
		}
		edits = append(edits, more...)
	}
	edited := apply(f.data, edits)
	after, err := Parse(f.Name, edited)
	if err != nil {
		return nil, fmt.Errorf("%s: would not be readable after the change: %w", f.Name, err)
	}
	if err := f.compareWith(after, change); err != nil {
		return nil, err
	}
	return edited, nil
}

// checkChange reports everything that stands in the way.
func (f *File) checkChange(change Change) error {
	var errs []error
	named := make(map[string]bool)
	name := func(bench string) bool {
		if named[bench] {
			errs = append(errs, fmt.Errorf("%s: bench %q: is named twice in one change", f.Name, bench))
		}
		again := named[bench]
		named[bench] = true
		return !again
	}
	for _, pin := range change.Set {
		if !name(pin.Bench) {
			continue
		}
		if pin.Bench == "" || !utf8.ValidString(pin.Bench) {
			errs = append(errs, fmt.Errorf("%s: bench %q: cannot be a key: it is empty or no UTF-8", f.Name, pin.Bench))
		}
		if old, ok := f.byBench[pin.Bench]; ok && !samePin(*old, mergeBand(pin, old)) {
			errs = append(errs, f.checkLine(old))
		}
	}
	for _, bench := range change.Remove {
		old, ok := f.byBench[bench]
		if !ok {
			errs = append(errs, fmt.Errorf("%s: bench %q: cannot be removed: it has no pin", f.Name, bench))
		} else if name(bench) {
			errs = append(errs, f.checkLine(old))
		}
	}
	return errors.Join(errs...)
}

// checkLine tells whether a pin can be changed by line.
func (f *File) checkLine(pin *Pin) error {
	if f.layout.pins[pin.Bench].wholeLine() {
		return nil
	}
	return fmt.Errorf("%s:%d: bench %q: cannot be changed by line: it is not one line under [budgets]\n"+
		"hint: write it as %s", f.Name, pin.Line, pin.Bench, formatLine(*pin))
}

func mergeBand(pin Pin, old *Pin) Pin {
	if pin.Band == "" {
		pin.Band = old.Band
	}
	return pin
}

// samePin compares all but the line.
func samePin(a, b Pin) bool {
	a.Line, b.Line = 0, 0
	return a == b
}

func (f *File) editPins(change Change) []replacement {
	var edits []replacement
	var added []Pin
	for _, pin := range change.Set {
		old, ok := f.byBench[pin.Bench]
		if !ok {
			added = append(added, pin)
			continue
		}
		pin = mergeBand(pin, old)
		if samePin(*old, pin) {
			continue
		}
		span := f.layout.pins[pin.Bench]
		edits = append(edits, replacement{span.value, span.end, formatPin(pin)})
	}
	for _, bench := range change.Remove {
		line := f.layout.pins[bench].first
		edits = append(edits, replacement{f.layout.lineStart(line), f.layout.lineStart(line + 1), ""})
	}
	return append(edits, f.insertPins(added)...)
}

// insertPins puts each new pin behind the line of the greatest bench that is
// smaller, so that a comment above a pin stays with it; the first ones go
// directly behind the header.
func (f *File) insertPins(added []Pin) []replacement {
	if len(added) == 0 {
		return nil
	}
	slices.SortFunc(added, func(a, b Pin) int { return cmp.Compare(a.Bench, b.Bench) })
	newline := f.layout.newline()
	header, ok := f.layout.headers["budgets"]
	benches := f.layout.benches()
	var edits []replacement
	if !ok && len(benches) == 0 {
		text := newline + "[budgets]" + newline
		if len(f.data) == 0 {
			text = "[budgets]" + newline
		}
		edits = append(edits, replacement{len(f.data), len(f.data), text})
	}
	for _, pin := range added {
		at := len(f.data)
		if i, _ := slices.BinarySearch(benches, pin.Bench); i > 0 {
			at = f.layout.lineStart(f.layout.pins[benches[i-1]].first + 1)
		} else if ok {
			at = f.layout.lineStart(header + 1)
		}
		edits = append(edits, replacement{at, at, formatLine(pin) + newline})
	}
	return edits
}

// formatLine writes a pin's line, without its newline.
func formatLine(pin Pin) string {
	return quoteString(pin.Bench) + " = " + formatPin(pin)
}

func formatPin(pin Pin) string {
	var out strings.Builder
	fmt.Fprintf(&out, "{ ir = %s, iters = %d", pin.Ir, pin.Iters)
	if pin.Allocs != "" {
		fmt.Fprintf(&out, ", allocs = %s", pin.Allocs)
	}
	if pin.Bytes != "" {
		fmt.Fprintf(&out, ", bytes = %s", pin.Bytes)
	}
	if pin.Band != "" {
		fmt.Fprintf(&out, ", band = %s", quoteString(string(pin.Band)))
	}
	out.WriteString(" }")
	return out.String()
}
