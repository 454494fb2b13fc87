package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/rivo/uniseg"

	"github.com/perfpin/perfpin/tasks/gate"
)

// TerminalOptions fit the output to where it goes.
type TerminalOptions struct {
	Color bool
	// Width is that of the terminal in cells: names are shortened to it in the
	// table. 0 shortens nothing.
	Width int
	// Explained says which functions moved, by the bench: they stand under its row.
	Explained map[string]Explanation
	// reference is what counts are compared with, "pinned" unless it is set; words are
	// other words for verdicts.
	reference string
	words     map[gate.Kind]string
}

// word returns how a verdict is called.
func (o TerminalOptions) word(kind gate.Kind) string {
	if word, ok := o.words[kind]; ok {
		return word
	}
	return string(kind)
}

// Terminal writes a table of the verdicts, then what is wrong with hints, the
// worst last, then one line that counts the verdicts.
func Terminal(w io.Writer, verdicts []gate.Verdict, opts TerminalOptions) error {
	var out strings.Builder
	if len(verdicts) > 0 {
		writeTable(&out, verdicts, opts)
		out.WriteByte('\n')
	}
	if findings := append(describe(verdicts), findUnexplained(opts.Explained)...); len(findings) > 0 {
		writeFindings(&out, findings, opts)
		out.WriteByte('\n')
	}
	writeSummary(&out, verdicts, opts)
	_, err := io.WriteString(w, out.String())
	return err
}

// A column is one of the table's, its header first.
type column struct {
	cells []string
	right bool // aligned
}

func (c column) width() int {
	most := 0
	for _, cell := range c.cells {
		most = max(most, uniseg.StringWidth(cell))
	}
	return most
}

func writeTable(out *strings.Builder, verdicts []gate.Verdict, opts TerminalOptions) {
	columns := []column{
		{cells: []string{"bench"}},
		{cells: []string{"Ir/op"}, right: true},
		{cells: []string{cmp.Or(opts.reference, "pinned")}, right: true},
		{cells: []string{"delta"}, right: true},
		{cells: []string{"change"}, right: true},
		{cells: []string{"band"}, right: true},
		{cells: []string{"allocs/op"}, right: true},
		{cells: []string{"B/op"}, right: true},
		{cells: []string{"verdict"}},
	}
	for i := range verdicts {
		for at, cell := range fillRow(&verdicts[i], opts) {
			columns[at].cells = append(columns[at].cells, cell)
		}
	}
	fitNames(columns, opts.Width)
	widths := make([]int, len(columns))
	for at := range columns {
		widths[at] = columns[at].width()
	}
	for row := range len(verdicts) + 1 {
		for at, c := range columns {
			cell := c.cells[row]
			padding := strings.Repeat(" ", widths[at]-uniseg.StringWidth(cell))
			switch {
			case at == len(columns)-1:
				padding = "" // nothing hangs off the end of a line
				if row > 0 {
					cell = paint(cell, verdicts[row-1].Kind, opts.Color)
				}
			case c.right:
				cell, padding = padding+cell, ""
			}
			if at > 0 {
				out.WriteString("  ")
			}
			out.WriteString(cell + padding)
		}
		out.WriteByte('\n')
		if row > 0 {
			writeExplained(out, opts.Explained[verdicts[row-1].Bench])
		}
	}
}

// fillRow returns a verdict's cells in the order of the columns.
func fillRow(v *gate.Verdict, opts TerminalOptions) []string {
	row := []string{escape(v.Bench), "-", "-", "-", "-", "-", "-", "-", opts.word(v.Kind)}
	if ir, allocs, bytes, ok := v.PerOperation(); ok {
		row[1], row[6], row[7] = group(string(ir)), group(string(allocs)), group(string(bytes))
	}
	if v.Pin != nil {
		row[2], row[5] = group(string(v.Pin.Ir)), string(v.Band)
	}
	if delta, ok := v.Delta(); ok {
		row[4] = percent(delta, v.Pin.Total())
	}
	if delta, ok := v.DeltaPerOperation(); ok {
		row[3] = signed(delta)
	}
	if v.Varies() {
		row[8] += ", varies"
	}
	return row
}

// leastName is how short a name may get; below it the line may be too long.
const leastName = 20

func fitNames(columns []column, width int) {
	if width <= 0 {
		return
	}
	left := width
	for _, c := range columns[1:] {
		left -= c.width() + 2
	}
	names := columns[0].cells
	for i, name := range names {
		names[i] = shorten(name, max(left, leastName))
	}
}

// paint colours a text by what the verdict means for the gate: red where it fails,
// but cyan where all that is left to do is to lock a gain in.
func paint(text string, kind gate.Kind, on bool) string {
	if !on {
		return text
	}
	attribute := color.FgRed
	switch kind {
	case gate.Within:
		attribute = color.FgGreen
	case gate.Improved:
		attribute = color.FgCyan
	case gate.NotComparable:
		attribute = color.FgYellow
	}
	c := color.New(attribute)
	c.EnableColor() // the caller decides, not the environment
	return c.Sprint(text)
}

func writeFindings(out *strings.Builder, findings []finding, opts TerminalOptions) {
	for _, f := range findings {
		text := escapeLines(f.text)
		first, rest, more := strings.Cut(text, "\n")
		out.WriteString(paint(first, f.kind, opts.Color) + "\n")
		if more {
			out.WriteString(rest + "\n")
		}
		if f.hint != "" {
			out.WriteString("hint: " + escape(f.hint) + "\n")
		}
	}
}

func writeSummary(out *strings.Builder, verdicts []gate.Verdict, opts TerminalOptions) {
	out.WriteString(gate.TellTally(gate.Tally(verdicts), func(n int, kind gate.Kind) string {
		return paint(fmt.Sprintf("%d %s", n, opts.word(kind)), kind, opts.Color)
	}) + "\n")
}

// rank orders kinds as gate.Kinds does, the best first.
func rank(kind gate.Kind) int { return slices.Index(gate.Kinds(), kind) }
