package budget

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// editPinned changes the values of [pinned] that differ and adds the missing
// keys below the last one.
func (f *File) editPinned(platform Platform) ([]replacement, error) {
	var edits []replacement
	newline := f.layout.newline()
	var added strings.Builder
	current := f.Pinned.fields()
	for i, field := range platform.fields() {
		span, written := f.layout.fields[field.key]
		same := field.value == current[i].value
		switch {
		case same && (written || field.value == ""):
		case same && f.layout.headers["pinned"] == 0 && current[i].value != "":
			// It stands in a form without the header; leave it.
		case !written:
			fmt.Fprintf(&added, "%s = %s%s", field.key, quoteField(field), newline)
		case span.first != span.last:
			return nil, fmt.Errorf("%s:%d: pinned.%s: cannot be changed by line: it spans lines %d to %d",
				f.Name, span.first, field.key, span.first, span.last)
		default:
			edits = append(edits, f.replaceValue(span, quoteField(field)))
		}
	}
	if added.Len() == 0 {
		return edits, nil
	}
	header, ok := f.layout.headers["pinned"]
	if !ok {
		text := newline + "[pinned]" + newline + added.String()
		return append(edits, replacement{len(f.data), len(f.data), text}), nil
	}
	at := f.layout.lineStart(max(header, f.layout.lastField) + 1)
	return append(edits, replacement{at, at, added.String()}), nil
}

// replaceValue replaces a value, and lets a comment behind it keep its column where
// there is room.
func (f *File) replaceValue(s span, value string) replacement {
	rest := f.data[s.end:]
	spaces := len(rest) - len(bytes.TrimLeft(rest, " "))
	if spaces == 0 || !bytes.HasPrefix(rest[spaces:], []byte("#")) {
		return replacement{s.value, s.end, value}
	}
	room := utf8.RuneCount(f.data[s.value:s.end]) + spaces - utf8.RuneCountInString(value)
	return replacement{s.value, s.end + spaces, value + strings.Repeat(" ", max(room, 1))}
}

// quoteField writes a field's value; env is a list already.
func quoteField(f field) string {
	if f.key != "env" {
		return quoteString(f.value)
	}
	if f.value == "" {
		return "[]"
	}
	return f.value
}

// apply makes all replacements. Those at the same place keep their order.
func apply(data []byte, edits []replacement) []byte {
	slices.SortStableFunc(edits, func(a, b replacement) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	var out []byte
	done := 0
	for _, edit := range edits {
		out = append(out, data[done:edit.start]...)
		// A last line without a newline must not swallow what comes behind it.
		if edit.start == len(data) && len(out) > 0 && out[len(out)-1] != '\n' && edit.text != "" {
			out = append(out, '\n')
		}
		out = append(out, edit.text...)
		done = edit.end
	}
	return append(out, data[done:]...)
}

// compareWith makes sure that after is f with exactly this change.
func (f *File) compareWith(after *File, change Change) error {
	want := make(map[string]Pin)
	for _, pin := range f.Pins {
		want[pin.Bench] = *pin
	}
	for _, pin := range change.Set {
		if old, ok := f.byBench[pin.Bench]; ok {
			pin = mergeBand(pin, old)
		}
		want[pin.Bench] = pin
	}
	for _, bench := range change.Remove {
		delete(want, bench)
	}
	platform := f.Pinned
	if change.Pinned != nil {
		platform = *change.Pinned
	}
	same := len(after.Pins) == len(want) && after.Band == f.Band &&
		slices.Equal(after.Pinned.fields(), platform.fields())
	for _, pin := range after.Pins {
		same = same && samePin(*pin, want[pin.Bench])
	}
	if !same {
		return fmt.Errorf("%s: cannot be changed by line: the result would not read back as the file plus the change", f.Name)
	}
	return nil
}
