// Package history is what the counts of a module's benches were over time: of runs,
// one line each in history.jsonl, and of the pins, one revision of budgets.toml each.
// It is pure: bytes and pins in, points out.
//
// # history.jsonl
//
// Each line is one JSON object, the oldest first:
//
//	schema    1; a line of another is told and left out
//	date      when the run ended, in UTC
//	commit    the full hash of HEAD; "" where there is no Git repository
//	dirty     whether files were changed or new since that commit
//	machine   cpu, processors, kernel: what it ran on, by no name
//	platform  what the counts were taken with, as in results.json
//	benches   bench, iters and total of each that was counted
package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/machine"
)

// Schema is the number of the lines that this package writes and reads.
const Schema = 1

// An Entry is one run.
type Entry struct {
	Schema   int             `json:"schema"`
	Date     time.Time       `json:"date"`
	Commit   string          `json:"commit"`
	Dirty    bool            `json:"dirty"`
	Machine  machine.Machine `json:"machine"`
	Platform Platform        `json:"platform"`
	Benches  []Count         `json:"benches"`
}

// A Platform is budget.Platform, which converts to it.
type Platform struct {
	Go       string   `json:"go"`
	Target   string   `json:"target"`
	Libc     string   `json:"libc"`
	CPU      string   `json:"cpu"`
	Seed     string   `json:"seed"`
	Tags     string   `json:"tags"`
	Env      []string `json:"env,omitempty"`
	Valgrind string   `json:"valgrind"`
}

// A Count is that of one bench: Total instructions of Iters operations.
type Count struct {
	Bench string `json:"bench"`
	Iters int64  `json:"iters"`
	Total int64  `json:"total"`
}

// Encode returns the entry as one line, with its line feed.
func Encode(e Entry) ([]byte, error) {
	e.Schema = Schema
	e.Date = e.Date.UTC().Truncate(time.Second)
	if e.Benches == nil {
		e.Benches = []Count{}
	}
	line, err := json.Marshal(e)
	return append(line, '\n'), err
}

// Read returns the entries of a history.jsonl in the order of the lines, and one error
// for each line that is none. The name stands in the errors, with the line: before is
// how many lines of the file are not in data. Lines without anything are no lines.
func Read(name string, before int, data []byte) (entries []Entry, broken []error) {
	number := before
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		e, err := decode(line)
		if err != nil {
			broken = append(broken, fmt.Errorf("%s:%d: %w", name, number, err))
			continue
		}
		entries = append(entries, e)
	}
	return entries, broken
}

func decode(line []byte) (Entry, error) {
	var head struct {
		Schema *int `json:"schema"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return Entry{}, fmt.Errorf("is no run: %w", err)
	}
	if head.Schema == nil {
		return Entry{}, errors.New("is no run: has no schema")
	}
	if *head.Schema != Schema {
		return Entry{}, fmt.Errorf("has schema %d, want %d", *head.Schema, Schema)
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	var e Entry
	if err := decoder.Decode(&e); err != nil {
		return Entry{}, fmt.Errorf("is no run: %w", err)
	}
	// A year of more digits is none that JSON's date has.
	if e.Date.IsZero() || e.Date.UTC().Year() < 0 || e.Date.UTC().Year() > 9999 {
		return Entry{}, errors.New("is no run: has no date")
	}
	for _, c := range e.Benches {
		if c.Bench == "" || c.Iters < 1 || c.Total < 1 {
			return Entry{}, fmt.Errorf("bench %q: %d instructions in %d operations: want at least one of each, and a name",
				c.Bench, c.Total, c.Iters)
		}
	}
	return e, nil
}

// Joint returns what has to stand before a line that is added to data: a line feed
// where a run that was killed has left half a line.
func Joint(data []byte) string {
	if len(data) > 0 && data[len(data)-1] != '\n' {
		return "\n"
	}
	return ""
}

// comparable tells whether counts on the one platform say something about the other.
func (p Platform) comparable(with budget.Platform) bool {
	return len(budget.Platform(p).Diff(with)) == 0
}
