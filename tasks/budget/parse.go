package budget

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"
)

// Parse reads budgets.toml. Its error reports every problem of the file, each
// as "name:line: what" and some with a hint on a line of its own.
func Parse(name string, data []byte) (*File, error) {
	// No editor shows it, and TOML gives it no meaning.
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		return nil, fmt.Errorf("%s:1: begins with a byte order mark\nhint: sed -i '1s/^\\xEF\\xBB\\xBF//' %s", name, name)
	}
	if err := findConflicts(name, data); err != nil {
		return nil, err
	}
	r := &reader{
		file:    &File{Name: name, Band: DefaultBand, byBench: make(map[string]*Pin), data: data},
		entries: make(map[string]*entry),
		seen:    make(map[string]int),
	}
	r.file.layout = newLayout(data)
	if err := r.walk(data); err != nil {
		r.addSyntax(err)
		return nil, r.problems.err(name)
	}
	r.finish()
	if r.problems == nil {
		// What the walk does not look for: a table that is defined twice in ways
		// that TOML forbids.
		var tree map[string]any
		if err := toml.Unmarshal(data, &tree); err != nil {
			r.addSyntax(err)
		}
	}
	if err := r.problems.err(name); err != nil {
		return nil, err
	}
	return r.file, nil
}

// findConflicts reports the markers of an unresolved merge before anything
// else: the syntax errors that follow from them would only distract.
func findConflicts(name string, data []byte) error {
	var found problems
	line := 0
	for text := range bytes.Lines(data) {
		line++
		for _, marker := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(text, []byte(marker)) {
				found.add(line, "conflict marker %s: the merge is not resolved", marker)
			}
		}
	}
	if found != nil {
		found.hint("git mergetool " + name)
	}
	return found.err(name)
}

// addSyntax adds what the TOML library says, with its line.
func (r *reader) addSyntax(err error) {
	line := 1
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, _ = decode.Position()
	}
	r.problems.add(line, "%s", trimLibrary(err))
}

// trimLibrary drops the library's own prefix.
func trimLibrary(err error) string {
	return string(bytes.TrimPrefix(fmt.Append(nil, err), []byte("toml: ")))
}
