package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/explain"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/machine"
)

// Schema is the number of the results.json that this package writes and reads.
const Schema = 2

// Results is the content of results.json; the package comment has the meaning
// of each member.
type Results struct {
	Schema int `json:"schema"`
	Run
	Differences []Difference `json:"differences,omitempty"`
	Benches     []Bench      `json:"benches"`
}

// A Run says when, of what and on what the counts were taken.
type Run struct {
	Date     time.Time `json:"date"`
	Module   string    `json:"module"`
	Commit   string    `json:"commit"`
	Dirty    bool      `json:"dirty"`
	Filtered bool      `json:"filtered,omitempty"`
	Shard    string    `json:"shard,omitempty"`
	Listed   []string  `json:"listed,omitempty"`
	Platform Platform  `json:"platform"`
	// Machine is zero where it is not known.
	Machine machine.Machine `json:"machine,omitzero"`
}

// A Platform is budget.Platform, which converts to it.
type Platform struct {
	Go       string   `json:"go"`
	Target   string   `json:"target"`
	Libc     string   `json:"libc"`
	CPU      string   `json:"cpu"`
	Seed     string   `json:"seed"`
	Tags     string   `json:"tags"`
	Env      []string `json:"env"`
	Valgrind string   `json:"valgrind"`
}

// A Difference is budget.Difference, which converts to it.
type Difference struct {
	Field  string `json:"field"`
	Pinned string `json:"pinned"`
	Here   string `json:"here"`
}

// A Bench is one verdict. Pointers and numbers are nil or "" where the file has
// null.
type Bench struct {
	Bench    string       `json:"bench"`
	Verdict  gate.Kind    `json:"verdict"`
	Iters    *int64       `json:"iters"`
	Total    *int64       `json:"total"`
	Ir       *json.Number `json:"ir"`
	Allocs   *json.Number `json:"allocs"`
	Bytes    *json.Number `json:"bytes"`
	Pin      *Pin         `json:"pin"`
	Band     string       `json:"band"`
	Delta    *int64       `json:"delta"`
	Runs     []int64      `json:"runs"`
	Distinct int          `json:"distinct"`
	Settled  bool         `json:"settled"`
	Moved    []string     `json:"moved,omitempty"`
	// Functions are the ones that moved, the largest move first, as far as they are shown.
	Functions []Function `json:"functions,omitempty"`
	Error     string     `json:"error,omitempty"`
	Profile   string     `json:"profile,omitempty"`
}

// A Pin is the recorded count of a Bench.
type Pin struct {
	Ir     json.Number  `json:"ir"`
	Iters  int64        `json:"iters"`
	Total  int64        `json:"total"`
	Allocs *json.Number `json:"allocs"`
	Bytes  *json.Number `json:"bytes"`
	Line   int          `json:"line"`
}

// A Function is one whose own code costs something else than in the pinned state:
// instructions of all operations.
type Function struct {
	Function string `json:"function"`
	Base     int64  `json:"base"`
	Head     int64  `json:"head"`
	Into     string `json:"into,omitempty"`
}

// NewResults gathers what results.json says of a run.
func NewResults(verdicts []gate.Verdict, run Run) Results {
	if run.Platform.Env == nil {
		run.Platform.Env = []string{}
	}
	run.Date = run.Date.UTC().Truncate(time.Second)
	results := Results{Schema: Schema, Run: run, Benches: []Bench{}}
	for i := range verdicts {
		v := &verdicts[i]
		results.Benches = append(results.Benches, newBench(v))
		if results.Differences == nil {
			results.Differences = newDifferences(v.Differences)
		}
	}
	return results
}

// Explain adds to the benches which functions moved.
func (r *Results) Explain(explained map[string]Explanation) {
	for i := range r.Benches {
		b := &r.Benches[i]
		e, ok := explained[b.Bench]
		if !ok || e.Err != nil {
			continue
		}
		for _, m := range e.Moves[:min(len(e.Moves), MostMoves)] {
			b.Functions = append(b.Functions, Function(m))
		}
	}
}

// Explained returns which functions moved, as far as the results tell.
func (r Results) Explained() map[string]Explanation {
	explained := make(map[string]Explanation)
	for _, b := range r.Benches {
		if len(b.Functions) == 0 || b.Pin == nil || b.Total == nil {
			continue
		}
		e := Explanation{Bench: b.Bench, Base: b.Pin.Total, Head: *b.Total, Iters: b.Pin.Iters}
		for _, f := range b.Functions {
			e.Moves = append(e.Moves, explain.Move(f))
		}
		explained[b.Bench] = e
	}
	return explained
}

func newDifferences(differences []budget.Difference) []Difference {
	var all []Difference
	for _, d := range differences {
		all = append(all, Difference(d))
	}
	return all
}

func newBench(v *gate.Verdict) Bench {
	b := Bench{Bench: v.Bench, Verdict: v.Kind, Band: string(v.Band), Runs: []int64{}, Moved: v.Moved}
	if ir, allocs, bytes, ok := v.PerOperation(); ok {
		b.Iters, b.Total = new(v.Count.Iters), new(v.Count.Total)
		b.Ir, b.Allocs, b.Bytes = number(ir), number(allocs), number(bytes)
		b.Runs = append(b.Runs, v.Count.Runs...)
		b.Distinct, b.Settled, b.Profile = distinct(b.Runs), v.Count.Settled, v.Count.Profile
	}
	if v.Pin != nil {
		b.Pin = NewPin(v.Pin)
	}
	if delta, ok := v.Delta(); ok {
		b.Delta = &delta
	}
	if v.Err != nil {
		b.Error = v.Err.Error()
	}
	return b
}

// Count returns what the bench was judged by; false where nothing was counted.
func (b Bench) Count() (count.Count, bool) {
	switch {
	case b.Iters != nil && b.Total != nil:
		return count.Count{
			Bench: b.Bench, Iters: *b.Iters, Total: *b.Total,
			Allocs: times(b.Allocs, *b.Iters), Bytes: times(b.Bytes, *b.Iters),
			Runs: b.Runs, Settled: b.Settled, Profile: b.Profile,
		}, true
	case b.Error != "":
		return count.Count{Bench: b.Bench, Err: errors.New(b.Error)}, true
	}
	return count.Count{}, false
}

// times returns what a number per operation is of, 0 where it is null. ReadResults has
// refused those that are too large.
func times(number *json.Number, iters int64) int64 {
	if number == nil {
		return 0
	}
	total, _ := budget.Decimal(*number).Times(iters)
	return total
}

// NewPin returns what results.json says of a pin.
func NewPin(pin *budget.Pin) *Pin {
	return &Pin{
		Ir: json.Number(pin.Ir), Iters: pin.Iters, Total: pin.Total(), Line: pin.Line,
		Allocs: number(pin.Allocs), Bytes: number(pin.Bytes),
	}
}

// number returns nil for the empty decimal.
func number(decimal budget.Decimal) *json.Number {
	if decimal == "" {
		return nil
	}
	return new(json.Number(decimal))
}

// Write writes results.json.
func (r Results) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// ReadResults reads results.json. The name stands in errors. Another schema, a
// member that this schema does not have, a verdict that is none and numbers that no
// count has are errors.
func ReadResults(name string, data []byte) (*Results, error) {
	var head struct {
		Schema *int `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%s: %s: %w\nhint: go tool mage perf", name, position(data, err), err)
	}
	if head.Schema == nil || *head.Schema != Schema {
		got := "no schema"
		if head.Schema != nil {
			got = fmt.Sprintf("schema %d", *head.Schema)
		}
		return nil, fmt.Errorf("%s: has %s, want %d\nhint: go tool mage perf", name, got, Schema)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	results := &Results{}
	if err := decoder.Decode(results); err != nil {
		return nil, fmt.Errorf("%s: %s: %w\nhint: go tool mage perf", name, position(data, err), err)
	}
	var errs []error
	for i, bench := range results.Benches {
		for _, err := range bench.check() {
			errs = append(errs, fmt.Errorf("%s: bench %q (number %d): %w", name, bench.Bench, i+1, err))
		}
		if !slices.Contains(gate.Kinds(), bench.Verdict) {
			errs = append(errs, fmt.Errorf("%s: bench %q (number %d): unknown verdict %q", name, bench.Bench, i+1, bench.Verdict))
		}
		for member, number := range bench.numbers() {
			if err := bench.checkNumber(number); err != nil {
				errs = append(errs, fmt.Errorf("%s: bench %q (number %d): %s %w", name, bench.Bench, i+1, member, err))
			}
		}
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	return results, nil
}

// check tells what cannot have been counted or pinned, and does not go together.
func (b Bench) check() []error {
	var errs []error
	wantOne := func(what string, n int64) {
		if n < 1 {
			errs = append(errs, fmt.Errorf("%s is %d, want at least 1", what, n))
		}
	}
	if (b.Iters == nil) != (b.Total == nil) {
		errs = append(errs, errors.New("iters and total: one is null, want both or none"))
	}
	if b.Iters != nil {
		wantOne("iters", *b.Iters)
	}
	if b.Total != nil {
		wantOne("total", *b.Total)
	}
	for _, run := range b.Runs {
		wantOne("a run", run)
	}
	if b.Pin != nil {
		wantOne("pin: iters", b.Pin.Iters)
		wantOne("pin: total", b.Pin.Total)
	}
	switch {
	case b.Delta == nil || errs != nil:
	case b.Pin == nil || b.Total == nil:
		errs = append(errs, fmt.Errorf("delta is %d, want null without a total and a pin", *b.Delta))
	case *b.Delta != *b.Total-b.Pin.Total:
		errs = append(errs, fmt.Errorf("delta is %d, want %d, what the total is above that of the pin", *b.Delta, *b.Total-b.Pin.Total))
	}
	return errs
}

var plainDigits = regexp.MustCompile(`^[0-9]{1,40}(\.[0-9]{1,40})?$`)

// checkNumber refuses what is no number per operation.
func (b Bench) checkNumber(number *json.Number) error {
	switch {
	case number == nil:
		return nil
	case !plainDigits.MatchString(string(*number)):
		// Arithmetic on "1e999999999" would take all memory.
		return fmt.Errorf("is %.20s, want plain digits", *number)
	case b.Iters == nil:
		return nil
	}
	if _, err := budget.Decimal(*number).Times(*b.Iters); err != nil {
		return fmt.Errorf("is %.20s: %w", *number, err)
	}
	return nil
}

// numbers returns the decimals of a bench by their members.
func (b Bench) numbers() map[string]*json.Number {
	numbers := map[string]*json.Number{"ir": b.Ir, "allocs": b.Allocs, "bytes": b.Bytes}
	if b.Pin != nil {
		numbers["ir of the pin"], numbers["allocs of the pin"], numbers["bytes of the pin"] = &b.Pin.Ir, b.Pin.Allocs, b.Pin.Bytes
	}
	return numbers
}

// position tells the line that an error of encoding/json is about, where it
// tells an offset.
func position(data []byte, err error) string {
	var (
		syntax *json.SyntaxError
		kind   *json.UnmarshalTypeError
		offset int64
	)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return "not a results file"
	}
	before := string(data[:min(offset, int64(len(data)))])
	return fmt.Sprintf("line %d", strings.Count(before, "\n")+1)
}
