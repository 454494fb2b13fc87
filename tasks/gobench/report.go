package gobench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A Report is what a test binary says of one benchmark; see overlay/testing.go.src.
type Report struct {
	// Outcome is "listed", "counted", "skipped" or "failed", or "command", which
	// package cmdbench adds to a benchmark that is also listed.
	Outcome string `json:"outcome"`
	// Name is the benchmark's, as "BenchmarkDecode/large".
	Name string `json:"name"`
	// Package or Program is what a benchmark of a command runs.
	Package string `json:"package"`
	Program string `json:"program"`
	// Iters is the number of operations of the counted run; Allocs and Bytes are what
	// all of them allocated.
	Iters  int64 `json:"iters"`
	Allocs int64 `json:"allocs"`
	Bytes  int64 `json:"bytes"`
	// PID is the process's, which callgrind puts into the names of its files.
	PID int `json:"pid"`
	// Regions is how often counting was started after the last reset of the timer.
	Regions int `json:"regions"`
	// Resets is how often the counted run reset the timer; Expected is how often the
	// warm-up did.
	Resets   int `json:"resets"`
	Expected int `json:"expected"`
}

// Environment returns what a test binary needs in its environment to run in the
// mode "list", "count" or "command"; see overlay/testing.go.src.
func Environment(mode string) []string { return []string{"PERFPIN=" + mode} }

// Args returns the arguments with which a test binary runs the benchmarks that
// match pattern, for iters operations each.
func Args(pattern string, iters int64) []string {
	return []string{
		"-test.run=^$",
		"-test.bench=" + pattern,
		"-test.benchtime=" + strconv.FormatInt(iters, 10) + "x",
		// One processor, so that names carry no suffix.
		"-test.cpu=1",
		// A benchmark that calls os.Exit(0) has not passed.
		"-test.paniconexit0",
	}
}

// ExactPattern returns the pattern that matches only the benchmark called name:
// package testing matches each element between slashes by itself.
func ExactPattern(name string) string {
	elements := strings.Split(name, "/")
	for i, element := range elements {
		elements[i] = "^" + regexp.QuoteMeta(element) + "$"
	}
	return strings.Join(elements, "/")
}

// ReadReports reads the reports that a test binary has written to file.
func ReadReports(file *os.File) ([]Report, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	return parseReports(data)
}

func parseReports(data []byte) ([]Report, error) {
	var reports []Report
	n := 0
	for line := range bytes.Lines(data) {
		n++
		r, err := parseReport(line)
		if err != nil {
			return nil, fmt.Errorf("report %d: %q: %w", n, bytes.TrimSuffix(line, []byte("\n")), err)
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// parseReport reads one line. The benchmark has the file open too, and may write
// anything into it.
func parseReport(line []byte) (Report, error) {
	var r Report
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return Report{}, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Report{}, errors.New("more than one value in a line")
	}
	switch r.Outcome {
	case "listed", "counted", "skipped", "failed", "command":
	default:
		return Report{}, fmt.Errorf("outcome %q is not known", r.Outcome)
	}
	if r.Name == "" {
		return Report{}, errors.New("no name")
	}
	return r, nil
}
