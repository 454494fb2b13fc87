// Package page writes a report of all that was measured of a module: as one
// self-contained HTML file, as Markdown and as JSON. It is pure: a Report in, bytes out.
//
// # report.json
//
// One object:
//
//	schema      1; any change of a member's meaning is another number
//	module      the module's path
//	written     when the report was written, in UTC
//	commit      the full hash of HEAD then; "" where there is no Git repository
//	dirty       whether files were changed or new since that commit
//	counts      instructions against pins, and what they were before
//	clock       wall-clock times
//	throughput  requests by processor time, beside other servers
//	coverage    statements that the tests reach, by tier and package
//	sizes       bytes of the module's commands
//
// and each of the last five, a section, is an object with these members:
//
//	measured  when its figures were taken, in UTC; null where that is not known
//	commit    the commit that they are of; "" where that is not known
//	dirty     whether files were changed or new since that commit
//	machine   cpu, processors and kernel that they were taken on; null where not known
//	problem   why there are no figures; absent where there are some
//	hint      a command that does something about the problem; absent without one
//	notes     what else has to be known to read the figures
//	data      the figures; null where there are none
//
// Counts are exact whole numbers, and of all iters operations where they are called
// total; rates, times and shares are floating point. Times are in seconds.
package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/history"
	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/report"
)

// Schema is the number of the report.json that this package writes.
const Schema = 1

// A Report is all that was measured; the package comment has the meaning of each member.
type Report struct {
	Schema     int                 `json:"schema"`
	Module     string              `json:"module"`
	Written    time.Time           `json:"written"`
	Commit     string              `json:"commit"`
	Dirty      bool                `json:"dirty"`
	Counts     Section[Counts]     `json:"counts"`
	Clock      Section[Clock]      `json:"clock"`
	Throughput Section[Throughput] `json:"throughput"`
	Coverage   Section[Coverage]   `json:"coverage"`
	Sizes      Section[Sizes]      `json:"sizes"`
}

// An Origin tells when, of what and on what something was measured.
type Origin struct {
	Measured *time.Time       `json:"measured"`
	Commit   string           `json:"commit"`
	Dirty    bool             `json:"dirty"`
	Machine  *machine.Machine `json:"machine"`
}

// A Section is one kind of figures, or why there are none.
type Section[T any] struct {
	Origin
	Problem string   `json:"problem,omitempty"`
	Hint    string   `json:"hint,omitempty"`
	Notes   []string `json:"notes"`
	Data    *T       `json:"data"`
}

// NotCounted is what stands for a verdict where a pin is known and no count is.
const NotCounted gate.Kind = "not counted"

// Counts are the verdicts of the last run, or the pins alone.
type Counts struct {
	Platform    report.Platform     `json:"platform"`
	Differences []report.Difference `json:"differences,omitempty"`
	Filtered    bool                `json:"filtered,omitempty"`
	Shard       string              `json:"shard,omitempty"`
	// Tally counts the verdicts of each kind.
	Tally   map[gate.Kind]int `json:"tally"`
	Benches []Bench           `json:"benches"`
}

// A Bench is as in results.json, with what it was before.
type Bench struct {
	report.Bench
	// Least and Most are the totals that the band ends at, null without a pin.
	Least *int64 `json:"least"`
	Most  *int64 `json:"most"`
	// History is the oldest first: the newest part of what can be compared with this count.
	History []history.Point `json:"history"`
	// Flame is the path of its flame graph, relative to the report; "" without one.
	Flame string `json:"flame,omitempty"`
	// FlameSVG is the flame graph itself; it is put into the page as far as it fits.
	FlameSVG []byte `json:"-"`
}

// Clock is wall-clock time.
type Clock struct {
	// Timer is the version of hyperfine, or "go test".
	Timer string `json:"timer"`
	Times []Time `json:"times"`
}

// Check refuses what no clock has told.
func (c Clock) Check() error {
	var errs []error
	for _, t := range c.Times {
		if t.Runs < 1 || t.Least < 0 || t.Least > t.Median || t.Median > t.Most {
			errs = append(errs, fmt.Errorf("time of %q: %d runs, median %v s, least %v s, most %v s", t.Name, t.Runs, t.Median, t.Least, t.Most))
		}
	}
	return errors.Join(errs...)
}

// A Time is of one command or benchmark, in seconds. Without a spread, Least and Most
// are the median.
type Time struct {
	Name    string   `json:"name"`
	Runs    int      `json:"runs"`
	Median  float64  `json:"median"`
	Least   float64  `json:"least"`
	Most    float64  `json:"most"`
	Mean    float64  `json:"mean"`
	Stddev  *float64 `json:"stddev"`  // null where it is not known
	User    *float64 `json:"user"`    // mean processor time in user mode; null where not known
	System  *float64 `json:"system"`  // the same in the kernel
	Prepare string   `json:"prepare"` // what is run before each run, and not timed
}

// Throughput is the ratio of servers by processor time, and their rates.
type Throughput struct {
	Conditions []string            `json:"conditions"`
	Requests   []ThroughputRequest `json:"requests"`
}

// A ThroughputRequest is one request's. With an error there are no servers.
type ThroughputRequest struct {
	Request string                   `json:"request"`
	Error   string                   `json:"error,omitempty"`
	Servers []ThroughputServer       `json:"servers"`
	Ratios  []report.ThroughputRatio `json:"ratios"`
}

// A ThroughputServer is one server's rates, over all rounds.
type ThroughputServer struct {
	Server       string                  `json:"server"`
	Saturation   string                  `json:"saturation"`
	PerCPUSecond report.ThroughputSpread `json:"requests_per_cpu_second"`
	PerSecond    report.ThroughputSpread `json:"requests_per_second"`
}

// Coverage is by package, sorted; Total is the sum.
type Coverage struct {
	Total    Covered   `json:"total"`
	Packages []Covered `json:"packages"`
}

// Covered counts statements. Unit are those that test processes reach, EndToEnd those
// that the built programs reach, Both what both do: all together is unit + end_to_end
// - both, and what only the end-to-end tier reaches end_to_end - both.
type Covered struct {
	Package    string `json:"package,omitempty"`
	Statements int    `json:"statements"`
	Unit       int    `json:"unit"`
	EndToEnd   int    `json:"end_to_end"`
	Both       int    `json:"both"`
}

// Check refuses what cannot have been measured: a tier that reaches more than there is,
// and a total that is not the sum.
func (c Coverage) Check() error {
	var sum Covered
	var errs []error
	for _, p := range c.Packages {
		if p.Both < 0 || p.Both > min(p.Unit, p.EndToEnd) || p.All() > p.Statements {
			errs = append(errs, fmt.Errorf("package %q: %d statements, of which unit tests reach %d, built programs %d and both %d",
				p.Package, p.Statements, p.Unit, p.EndToEnd, p.Both))
		}
		sum.Statements += p.Statements
		sum.Unit += p.Unit
		sum.EndToEnd += p.EndToEnd
		sum.Both += p.Both
	}
	if sum != c.Total {
		errs = append(errs, fmt.Errorf("total: got %+v, want the packages' sum, %+v", c.Total, sum))
	}
	return errors.Join(errs...)
}

// All is what any tier reaches.
func (c Covered) All() int { return c.Unit + c.EndToEnd - c.Both }

// OnlyEndToEnd is what no test process reaches, and a built program does.
func (c Covered) OnlyEndToEnd() int { return c.EndToEnd - c.Both }

// Sizes are of the module's commands.
type Sizes struct {
	Go       string `json:"go"`
	Target   string `json:"target"`
	Programs []Size `json:"programs"`
}

// Check refuses what no program can be.
func (s Sizes) Check() error {
	var errs []error
	for _, p := range s.Programs {
		if p.Bytes < 1 || p.Stripped < 1 {
			errs = append(errs, fmt.Errorf("program %q: %d bytes, stripped %d", p.Package, p.Bytes, p.Stripped))
		}
	}
	return errors.Join(errs...)
}

// A Size is of one command, in bytes: as built, and without symbols and debug
// information (-ldflags="-s -w").
type Size struct {
	Package  string `json:"package"`
	Bytes    int64  `json:"bytes"`
	Stripped int64  `json:"stripped"`
	// Before is Stripped of the measurement before; null where there is none.
	Before *int64 `json:"before"`
}

// JSON writes report.json.
func (r Report) JSON(w io.Writer) error {
	for _, notes := range []*[]string{
		&r.Counts.Notes, &r.Clock.Notes, &r.Throughput.Notes, &r.Coverage.Notes, &r.Sizes.Notes,
	} {
		if *notes == nil {
			*notes = []string{}
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
