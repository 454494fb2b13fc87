package budget

import (
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2/unstable"
)

// readPin takes one key of a pin.
func (r *reader) readPin(e *entry, v value) {
	key := v.path[2]
	if first, twice := e.seen[key]; twice {
		r.addPinProblem(e, v.line, "%s stands twice, first on line %d", key, first)
		return
	}
	e.seen[key] = v.line
	var err error
	switch key {
	case "ir":
		e.pin.Ir, err = readCount(v)
	case "allocs":
		e.pin.Allocs, err = readCount(v)
	case "bytes":
		e.pin.Bytes, err = readCount(v)
	case "iters":
		e.pin.Iters, err = readIters(v)
	case "band":
		e.pin.Band, err = readBand(v)
	default:
		r.addUnknown(v.path, v.line)
		return
	}
	if err != nil {
		r.addPinProblem(e, v.line, "%s: %v", key, err)
	}
}

func (r *reader) addPinProblem(e *entry, line int, format string, args ...any) {
	r.problems.add(line, "bench %q: %s", e.pin.Bench, fmt.Sprintf(format, args...))
	e.broken = true
}

func readCount(v value) (Decimal, error) {
	if v.kind != unstable.Integer && v.kind != unstable.Float {
		return "", fmt.Errorf("is %s, want a number", tellKind(v))
	}
	return parseDecimal(v.text)
}

func readIters(v value) (int64, error) {
	if v.kind != unstable.Integer {
		return 0, fmt.Errorf("is %s, want a whole number", tellKind(v))
	}
	count, err := parseDecimal(v.text)
	if err != nil {
		return 0, err
	}
	iters, err := count.Times(1)
	if err != nil {
		return 0, errors.New(v.text + " is too large")
	}
	if iters < 1 {
		return 0, fmt.Errorf("is %d, want at least 1", iters)
	}
	return iters, nil
}

// finish checks what only the whole file can tell.
func (r *reader) finish() {
	for _, pin := range r.file.Pins {
		e := r.entries[pin.Bench]
		for _, key := range []string{"ir", "iters"} {
			if _, ok := e.seen[key]; !ok {
				r.addPinProblem(e, pin.Line, "no %s", key)
			}
		}
		if e.broken {
			continue
		}
		if err := countTotals(pin); err != nil {
			r.addPinProblem(e, pin.Line, "%v", err)
		}
	}
	if len(r.file.Pins) > 0 {
		r.checkPinned()
	}
}

// checkPinned wants the fields without which pins mean nothing.
func (r *reader) checkPinned() {
	for _, field := range r.file.Pinned.fields() {
		switch field.key {
		case "tags", "env", "valgrind":
			continue
		}
		line, seen := r.seen["pinned."+field.key]
		if field.value != "" {
			continue
		}
		if !seen {
			line = max(1, r.file.layout.headers["pinned"])
			r.problems.add(line, "pinned: no %s, but there are pins", field.key)
			continue
		}
		r.problems.add(line, "pinned.%s: is empty, but there are pins", field.key)
	}
}

// countTotals computes the totals from the counts per operation.
func countTotals(pin *Pin) error {
	var err error
	if pin.total, err = pin.Ir.Times(pin.Iters); err != nil {
		return fmt.Errorf("ir: %w", err)
	}
	if pin.allocs, err = pin.Allocs.Times(pin.Iters); err != nil {
		return fmt.Errorf("allocs: %w", err)
	}
	if pin.bytes, err = pin.Bytes.Times(pin.Iters); err != nil {
		return fmt.Errorf("bytes: %w", err)
	}
	return checkCounts(*pin)
}

// checkCounts refuses a pin that no measurement can have given.
func checkCounts(pin Pin) error {
	switch {
	case pin.Iters < 1:
		return fmt.Errorf("iters: is %d, want at least 1", pin.Iters)
	case pin.total < 1:
		return fmt.Errorf("ir: ir × iters is %d, want at least 1", pin.total)
	case pin.allocs < 0:
		return fmt.Errorf("allocs: %d is negative", pin.allocs)
	case pin.bytes < 0:
		return fmt.Errorf("bytes: %d is negative", pin.bytes)
	}
	return nil
}
