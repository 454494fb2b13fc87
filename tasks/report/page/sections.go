package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/history"
	"github.com/perfpin/perfpin/tasks/report"
)

// A section is what both the page and the Markdown show of a Section.
type section struct {
	ID, Title, About string
	// Meta says when, of what and on what.
	Meta          []string
	Problem, Hint string
	Notes         []string
	Chips         []chip
	Table         *table
}

// A chip is a figure that stands above the table.
type chip struct{ Figure, Label, Class string }

type table struct {
	Caption string
	Columns []column
	Rows    []row
	// Filter tells that it may be long: the page lets the reader search in it.
	Filter bool
	// Legend says what the colours of its charts mean.
	Legend []chip
}

// A column is of names, of numbers or of charts, which Markdown has not.
type column struct {
	Name          string
	Number, Chart bool
}

type row struct{ Cells []cell }

// A cell has a Text, and in the page what belongs to it.
type cell struct {
	Text string
	// Sort is the value that the page sorts by, "" where that is Text.
	Sort  string
	Class string
	Chart *chart
	// Lines stand under the text.
	Lines []string
	// Changes are opened by a click.
	Changes []string
	// Flame is a link to a flame graph; Key finds it in the page.
	Flame, Key string
}

func text(s string) cell { return cell{Text: s} }

// sections returns all sections in the order of the page.
func (r Report) sections() []section {
	all := []section{r.counts(), r.clock()}
	// A module that has no server has no such comparison.
	if r.Throughput.Data != nil || r.Throughput.Problem != "" {
		all = append(all, r.throughput())
	}
	return append(all, r.coverage(), r.sizes())
}

func open[T any](r Report, s Section[T], id, title, about string) section {
	return section{
		ID: id, Title: title, About: about, Meta: s.tell(r.Written),
		Problem: s.Problem, Hint: s.Hint, Notes: s.Notes,
	}
}

func (r Report) counts() section {
	s := open(r, r.Counts, "counts", "Instructions", "Instructions that one operation executes, counted exactly and held to budgets.toml.")
	c := r.Counts.Data
	if c == nil {
		return s
	}
	for _, kind := range kinds() {
		if n := c.Tally[kind]; n > 0 {
			s.Chips = append(s.Chips, chip{fmt.Sprint(n), string(kind), class(kind)})
		}
	}
	for _, d := range c.Differences {
		s.Notes = append(s.Notes, fmt.Sprintf("%s is %q here and %q where it was pinned", d.Field, d.Here, d.Pinned))
	}
	s.Notes = append(s.Notes, tellPlatform(c.Platform)...)
	if len(c.Benches) == 0 {
		return s
	}
	s.Table = &table{
		Caption: gate.TellTally(c.Tally, nil), Filter: true,
		Columns: []column{
			{Name: "bench"}, {Name: "Ir/op", Number: true}, {Name: "pinned", Number: true},
			{Name: "change", Number: true}, {Name: "band", Number: true},
			{Name: "allocs/op", Number: true}, {Name: "B/op", Number: true},
			{Name: "trend", Chart: true}, {Name: "verdict"},
		},
		Legend: []chip{{Label: "runs", Class: "runs"}, {Label: "pins", Class: "pins"}, {Label: "band", Class: "band"}},
	}
	for at, b := range c.Benches {
		s.Table.Rows = append(s.Table.Rows, newRow(b, at))
	}
	return s
}

func newRow(b Bench, at int) row {
	c := b.cells()
	name := cell{Text: b.Bench.Bench, Changes: tellChanges(b.History)}
	if b.Flame != "" {
		name.Flame, name.Key = b.Flame, fmt.Sprint(at)
	}
	if b.Error != "" {
		name.Lines = strings.Split(b.Error, "\n")
	}
	name.Lines = append(append(name.Lines, b.Moved...), b.ToldFunctions()...)
	verdict := cell{Text: string(b.Verdict), Sort: fmt.Sprint(slices.Index(kinds(), b.Verdict)), Class: class(b.Verdict)}
	if len(b.Runs) > 1 && !b.Settled {
		verdict.Text += ", varies"
	}
	change := cell{Text: c.change, Sort: relative(b)}
	if b.Delta != nil && *b.Delta != 0 {
		change.Class = class(b.Verdict)
	}
	return row{[]cell{
		name, text(c.ir), text(c.pinned), change, text(c.band), text(c.allocs), text(c.bytes),
		{Chart: drawTrend(b)}, verdict,
	}}
}

// relative is the change that rows are sorted by.
func relative(b Bench) string {
	if b.Delta == nil || b.Pin == nil {
		return ""
	}
	return fmt.Sprintf("%.4g", 100*float64(*b.Delta)/float64(b.Pin.Total))
}

// class is the name of a verdict's colour.
func class(kind gate.Kind) string { return "v-" + strings.ReplaceAll(string(kind), " ", "-") }

func tellPlatform(p report.Platform) []string {
	if p.Go == "" {
		return nil
	}
	parts := []string{p.Go, p.Target, "C library " + p.Libc, "processor model " + p.CPU, "valgrind " + p.Valgrind}
	if p.Tags != "" {
		parts = append(parts, "tags "+p.Tags)
	}
	if len(p.Env) > 0 {
		parts = append(parts, strings.Join(p.Env, " "))
	}
	return []string{"counted with " + strings.Join(parts, ", ")}
}

// mostChanges is how many changes of a bench the page tells.
const mostChanges = 4

// tellChanges tells when a bench began to cost something else, the newest first.
func tellChanges(points []history.Point) []string {
	var changes []string
	for i, p := range slices.Backward(points) {
		if len(changes) == mostChanges {
			break
		}
		did := "counted"
		if p.Pin {
			did = "pinned"
		}
		head := strings.TrimSpace(p.Date.Format("2006-01-02") + " " + p.Commit[:min(12, len(p.Commit))])
		switch {
		case i == 0:
			changes = append(changes, fmt.Sprintf("%s: first %s at %s", head, did, perOperation(p)))
		case perOperation(points[i-1]) != perOperation(p):
			before := points[i-1]
			changes = append(changes, fmt.Sprintf("%s: %s %s, before %s", head, did, perOperation(p), perOperation(before)))
		}
	}
	return changes
}

// perOperation is exact, and has commas between thousands.
func perOperation(p history.Point) string {
	return report.Group(string(budget.PerOperation(p.Total, p.Iters)))
}

func (r Report) clock() section {
	s := open(r, r.Clock, "clock", "Wall-clock", "Time by the clock of this machine; the bar is the median, the line from the least to the most.")
	c := r.Clock.Data
	if c == nil {
		return s
	}
	s.Notes = append(s.Notes, "timed by "+c.Timer)
	s.Table = &table{
		Caption: "Wall-clock times",
		Columns: []column{
			{Name: "command or benchmark"}, {Name: "median", Number: true}, {Name: "least", Number: true},
			{Name: "most", Number: true}, {Name: "user", Number: true},
			{Name: "system", Number: true}, {Name: "runs", Number: true}, {Name: "spread", Chart: true},
		},
	}
	for _, t := range c.Times {
		title := fmt.Sprintf("median %s, from %s to %s", seconds(t.Median), seconds(t.Least), seconds(t.Most))
		name := text(t.Name)
		if t.Prepare != "" {
			name.Lines = []string{"before each run: " + t.Prepare}
		}
		s.Table.Rows = append(s.Table.Rows, row{[]cell{
			name, duration(&t.Median), duration(&t.Least), duration(&t.Most), duration(t.User), duration(t.System),
			text(fmt.Sprint(t.Runs)), {Chart: drawSpread(title, "bar", t.Most*1.05, t.Least, t.Median, t.Most)},
		}})
	}
	return s
}

func duration(s *float64) cell {
	if s == nil {
		return text("–")
	}
	return cell{Text: seconds(*s), Sort: fmt.Sprintf("%.4g", *s)}
}

func (r Report) sizes() section {
	s := open(r, r.Sizes, "sizes", "Program sizes", "What the module's commands weigh, as built and without symbols and debug information.")
	d := r.Sizes.Data
	if d == nil {
		return s
	}
	s.Notes = append(s.Notes, "built with "+d.Go+" for "+d.Target)
	s.Table = &table{
		Caption: plural(len(d.Programs), "program"),
		Columns: []column{
			{Name: "package"}, {Name: "size", Number: true}, {Name: "stripped", Number: true},
			{Name: "change", Number: true}, {Name: "of the largest", Chart: true},
		},
	}
	largest := slices.MaxFunc(append([]Size{{}}, d.Programs...), func(a, b Size) int { return cmp.Compare(a.Bytes, b.Bytes) })
	for _, p := range d.Programs {
		change := text("–")
		if p.Before != nil {
			change = cell{Text: report.SignedPerOperation(p.Stripped-*p.Before, 1) + " B", Sort: fmt.Sprint(p.Stripped - *p.Before)}
		}
		title := fmt.Sprintf("%s, of which %s are left without symbols", size(p.Bytes), size(p.Stripped))
		s.Table.Rows = append(s.Table.Rows, row{[]cell{
			text(p.Package), {Text: size(p.Bytes), Sort: fmt.Sprint(p.Bytes)}, {Text: size(p.Stripped), Sort: fmt.Sprint(p.Stripped)}, change,
			{Chart: drawBar(title, float64(largest.Bytes), part{"bar", float64(p.Stripped)}, part{"bar2", float64(p.Bytes - p.Stripped)})},
		}})
	}
	return s
}
