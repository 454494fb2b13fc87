package budget

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A reader gives the values of a document their meaning.
type reader struct {
	parser   unstable.Parser
	file     *File
	problems problems
	entries  map[string]*entry
	seen     map[string]int // line of each key of [pinned] and [gate], by path
	muted    []string       // a table that is refused, and its keys with it
}

// An entry is a pin while it is read.
type entry struct {
	pin    *Pin
	seen   map[string]int
	broken bool // it has a problem: say nothing more about the whole
}

const (
	tableHint = "the tables are [pinned], [gate] and [budgets]"
	pinHint   = "the keys are ir, iters, allocs, bytes, band"
)

func (r *reader) openTable(path []string, line int) {
	r.muted = nil
	if len(path) == 1 && isTable(path[0]) {
		if first, twice := r.file.layout.headers[path[0]]; twice {
			r.problems.add(line, "[%s] stands twice, first on line %d", path[0], first)
			return
		}
		r.file.layout.headers[path[0]] = line
		return
	}
	if len(path) == 2 && path[0] == "budgets" {
		if !r.openPin(path, line, span{}) {
			r.muted = path
		}
		return
	}
	r.muted = path
	r.problems.add(line, "unknown table [%s]", joinKeys(path))
	r.problems.hint(tableHint)
}

func isTable(name string) bool {
	return name == "pinned" || name == "gate" || name == "budgets"
}

// openInline tells whether the inline table at path may have keys; where it may
// not, it is read as a value of the wrong kind.
func (r *reader) openInline(path []string, line int, where span) bool {
	if len(path) == 1 && isTable(path[0]) {
		return true
	}
	if len(path) == 2 && path[0] == "budgets" {
		return r.openPin(path, line, where)
	}
	r.read(value{path: path, line: line, kind: unstable.InlineTable, span: where})
	return false
}

// openPin starts the pin that path names, and reports whether it is the first
// of that name.
func (r *reader) openPin(path []string, line int, where span) bool {
	bench := path[1]
	if old := r.entries[bench]; old != nil {
		r.problems.add(line, "bench %q: stands twice, first on line %d", bench, old.pin.Line)
		return false
	}
	r.addPin(bench, line)
	r.file.layout.pins[bench] = where
	return true
}

func (r *reader) addPin(bench string, line int) *entry {
	e := &entry{pin: &Pin{Bench: bench, Line: line}, seen: make(map[string]int)}
	r.entries[bench] = e
	r.file.byBench[bench] = e.pin
	r.file.Pins = append(r.file.Pins, e.pin)
	if bench == "" {
		r.problems.add(line, "a bench without a name")
	}
	return e
}

// read takes one value.
func (r *reader) read(v value) {
	switch {
	case len(v.path) == 2 && (v.path[0] == "pinned" || v.path[0] == "gate"):
		key := strings.Join(v.path, ".")
		if first, twice := r.seen[key]; twice {
			r.problems.add(v.line, "%s: stands twice, first on line %d", key, first)
			return
		}
		r.seen[key] = v.line
		if v.path[0] == "pinned" {
			r.readPinned(v)
		} else {
			r.readGate(v)
		}
	case len(v.path) == 3 && v.path[0] == "budgets":
		e := r.entries[v.path[1]]
		if e == nil {
			e = r.addPin(v.path[1], v.line)
			r.file.layout.pins[v.path[1]] = span{}
		}
		r.readPin(e, v)
	case len(v.path) == 2 && v.path[0] == "budgets":
		r.problems.add(v.line, "bench %q: is %s, want { ir = …, iters = … }", v.path[1], tellKind(v))
	case len(v.path) == 1 && isTable(v.path[0]):
		r.problems.add(v.line, "%s: is %s, want a table", v.path[0], tellKind(v))
	default:
		r.addUnknown(v.path, v.line)
	}
}

func (r *reader) addUnknown(path []string, line int) {
	switch {
	case path[0] == "budgets" && len(path) > 2:
		r.problems.add(line, "bench %q: unknown key %q", path[1], joinKeys(path[2:]))
		r.problems.hint(pinHint)
		if e := r.entries[path[1]]; e != nil {
			e.broken = true
		}
	case path[0] == "pinned" && len(path) > 1:
		r.problems.add(line, "pinned: unknown key %q", joinKeys(path[1:]))
		r.problems.hint("the keys are go, target, libc, cpu, seed, tags, env, valgrind")
	case path[0] == "gate" && len(path) > 1:
		r.problems.add(line, "gate: unknown key %q", joinKeys(path[1:]))
		r.problems.hint("the only key is band")
	default:
		r.problems.add(line, "unknown key %q", joinKeys(path))
		r.problems.hint(tableHint)
	}
}

func (r *reader) readGate(v value) {
	if v.path[1] != "band" {
		r.addUnknown(v.path, v.line)
		return
	}
	band, err := readBand(v)
	if err != nil {
		r.problems.add(v.line, "gate.band: %v", err)
		return
	}
	r.file.Band = band
}

func readBand(v value) (Band, error) {
	if v.kind != unstable.String {
		return "", fmt.Errorf("is %s, want a string like \"2%%\"", tellKind(v))
	}
	return ParseBand(v.text)
}

func (r *reader) readPinned(v value) {
	p := &r.file.Pinned
	fields := map[string]*string{
		"go": &p.Go, "target": &p.Target, "libc": &p.Libc, "cpu": &p.CPU,
		"seed": &p.Seed, "tags": &p.Tags, "valgrind": &p.Valgrind,
	}
	if v.path[1] == "env" {
		r.readEnv(v)
	} else if field := fields[v.path[1]]; field == nil {
		r.addUnknown(v.path, v.line)
	} else if v.kind != unstable.String {
		r.problems.add(v.line, "pinned.%s: is %s, want a string", v.path[1], tellKind(v))
	} else {
		*field = v.text
	}
	if header := r.file.layout.headers["pinned"]; header > 0 && v.span.direct {
		r.file.layout.fields[v.path[1]] = v.span
		r.file.layout.lastField = max(r.file.layout.lastField, v.span.last)
	}
}

func (r *reader) readEnv(v value) {
	if v.kind != unstable.Array {
		r.problems.add(v.line, "pinned.env: is %s, want a list like [\"NAME=VALUE\"]", tellKind(v))
		return
	}
	var names []string
	for _, item := range v.items {
		name, _, ok := strings.Cut(item.text, "=")
		switch {
		case item.kind != unstable.String:
			r.problems.add(v.line, "pinned.env: holds %s, want strings like \"NAME=VALUE\"", tellKind(item))
		case !ok || name == "":
			r.problems.add(v.line, "pinned.env: %q is not NAME=VALUE", item.text)
		case slices.Contains(names, name):
			r.problems.add(v.line, "pinned.env: %s stands twice", name)
		}
		names = append(names, name)
		r.file.Pinned.Env = append(r.file.Pinned.Env, item.text)
	}
}

// tellKind names a value's type in a message.
func tellKind(v value) string {
	switch v.kind {
	case unstable.String:
		return fmt.Sprintf("the string %q", v.text)
	case unstable.Integer:
		return "the integer " + v.text
	case unstable.Float:
		return "the number " + v.text
	case unstable.Bool:
		return "a boolean"
	case unstable.Array:
		return "a list"
	case unstable.InlineTable:
		return "a table"
	}
	return "a date or time"
}
