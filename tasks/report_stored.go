package tasks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/perfpin/perfpin/tasks/atomicfile"
	"github.com/perfpin/perfpin/tasks/gocommand"
	"github.com/perfpin/perfpin/tasks/report/page"
)

// storedSchema is the number of the files that keep what was measured for a report.
const storedSchema = 1

// stored is a section of the report, kept in a file of its own.
type stored[T any] struct {
	Schema int `json:"schema"`
	page.Section[T]
}

func storedPath(root, name string) string {
	return filepath.Join(root, filepath.FromSlash(reportFolder), name+".json")
}

// keep writes what was measured.
func keep[T any](root, name string, s page.Section[T]) error {
	data, err := json.MarshalIndent(stored[T]{storedSchema, s}, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(storedPath(root, name), append(data, '\n'))
}

// errNotMeasured tells that there is no file yet.
var errNotMeasured = errors.New("not measured yet")

// readKept reads what was measured.
func readKept[T interface{ Check() error }](root, name string) (page.Section[T], error) {
	none := page.Section[T]{Notes: []string{}}
	data, err := os.ReadFile(storedPath(root, name))
	if errors.Is(err, os.ErrNotExist) {
		return none, errNotMeasured
	}
	if err != nil {
		return none, err
	}
	file := reportFolder + "/" + name + ".json"
	again := "\nhint: go tool mage report -measure -only=" + name
	var head struct{ Schema int }
	if err := json.Unmarshal(data, &head); err != nil {
		return none, fmt.Errorf("%s: %w%s", file, err, again)
	}
	if head.Schema != storedSchema {
		return none, fmt.Errorf("%s: has schema %d, want %d%s", file, head.Schema, storedSchema, again)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var s stored[T]
	if err := decoder.Decode(&s); err != nil {
		return none, fmt.Errorf("%s: %w%s", file, err, again)
	}
	if s.Data != nil {
		if err := (*s.Data).Check(); err != nil {
			return none, fmt.Errorf("%s: %w%s", file, err, again)
		}
	}
	if s.Notes == nil {
		s.Notes = []string{}
	}
	return s.Section, nil
}

// loadSection returns the section that is kept under a name. What was measured before stays in
// the report where it could just not be measured again, and says so.
func loadSection[T interface{ Check() error }](g *gatherer, name string) page.Section[T] {
	s, err := readKept[T](g.root, name)
	failed := g.failed[name]
	switch {
	case errors.Is(failed, gocommand.ErrTests) && s.Data != nil:
		// What the tests that failed have reached is in it, and a note says which did.
		g.problems = append(g.problems, fmt.Errorf("%s: %w", name, withoutPaths(failed, g.root)))
	case failed != nil && s.Data != nil:
		problem, _ := g.explain(failed)
		s.Notes = append(s.Notes, "could not be measured again: "+problem)
		g.problems = append(g.problems, fmt.Errorf("%s: %w", name, withoutPaths(failed, g.root)))
	case failed != nil:
		fail(g, &s, fmt.Errorf("%s: %w", name, failed))
	case errors.Is(err, errNotMeasured):
		lack(&s, err.Error(), "go tool mage report -measure -only="+name)
	case err != nil:
		fail(g, &s, err)
	}
	return s
}
