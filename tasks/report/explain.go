package report

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/perfpin/perfpin/tasks/explain"
	"github.com/perfpin/perfpin/tasks/gate"
)

// MostMoves is how many functions, and mostLines how many lines of each, are shown.
// The others are counted in one line.
const (
	MostMoves = 12
	mostLines = 5
)

// An Explanation is which functions of one bench moved, and which of their lines.
type Explanation struct {
	Bench string
	// Base and Head are the totals in instructions of Iters operations each.
	Base, Head, Iters int64
	// BaseName and HeadName say what is compared: "the pinned state", "v1.2.0".
	BaseName, HeadName string
	Moves              []explain.Move
	// Lines holds the moved lines of functions, by the function's name; nil where lines
	// are not told.
	Lines map[string][]explain.LineMove
	// Err tells why there are no Moves.
	Err error
	// Notes are told below the heading: what else differs between the two.
	Notes []string
}

// Explain writes the functions that moved, the largest move first, with the lines of
// each, and their sum.
func Explain(w io.Writer, e Explanation) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s Ir", escape(e.Bench), signedInt(e.Head-e.Base))
	if e.Base > 0 {
		fmt.Fprintf(&out, " (%s)", percent(e.Head-e.Base, e.Base))
	}
	fmt.Fprintf(&out, " in %s operations: %s %s, %s %s\n", groupInt(e.Iters),
		escape(e.BaseName), groupInt(e.Base), escape(e.HeadName), groupInt(e.Head))
	for _, note := range e.Notes {
		fmt.Fprintf(&out, "  note: %s\n", escape(note))
	}
	writeMoves(&out, e)
	_, err := io.WriteString(w, out.String())
	return err
}

// writeExplained writes the functions that moved below a row of the table.
func writeExplained(out *strings.Builder, e Explanation) {
	// Where only allocations moved, there may be no function that did.
	if e.Err == nil && len(e.Moves) > 0 {
		writeMoves(out, e)
	}
}

// findUnexplained returns one finding for all benches that no profile is at hand for.
func findUnexplained(explained map[string]Explanation) []finding {
	var names []string
	var reasons []string
	for _, bench := range slices.Sorted(maps.Keys(explained)) {
		if err := explained[bench].Err; err != nil {
			names = append(names, regexp.QuoteMeta(bench))
			reasons = append(reasons, escape(bench)+": the functions that moved cannot be told: "+err.Error())
		}
	}
	if names == nil {
		return nil
	}
	pattern := "^(" + strings.Join(names, "|") + ")$"
	return []finding{{
		kind: gate.NotComparable, text: strings.Join(reasons, "\n"),
		hint: "go tool mage explain -bench=" + QuoteShell(pattern),
	}}
}

func writeMoves(out *strings.Builder, e Explanation) {
	if len(e.Moves) == 0 {
		out.WriteString("  no function moved\n")
		return
	}
	shown := e.Moves[:min(len(e.Moves), MostMoves)]
	var rest, sum int64
	for _, m := range e.Moves {
		sum += m.Delta()
	}
	rest = sum
	width := len(signedInt(sum))
	for _, m := range shown {
		rest -= m.Delta()
		width = max(width, len(signedInt(m.Delta())))
	}
	width = max(width, len(signedInt(rest)))
	for _, m := range shown {
		fmt.Fprintf(out, "  %*s Ir  %s\n", width, signedInt(m.Delta()), tellMove(m))
		writeLines(out, e.Lines[m.Function], width)
	}
	if others := len(e.Moves) - len(shown); others > 0 {
		fmt.Fprintf(out, "  %*s Ir  in %d other %s\n", width, signedInt(rest), others, plural(others, "function"))
	}
	fmt.Fprintf(out, "  %*s Ir  in all\n", width, signedInt(sum))
}

// mostTold is how many functions are named where there is little room.
const mostTold = 3

// ToldFunctions names the functions that moved most, a line each.
func (b Bench) ToldFunctions() []string {
	var lines []string
	for _, f := range b.Functions[:min(len(b.Functions), mostTold)] {
		m := explain.Move(f)
		lines = append(lines, signedInt(m.Delta())+" Ir in "+tellMove(m))
	}
	if len(b.Functions) > mostTold {
		lines = append(lines, "and in others")
	}
	return lines
}

// tellMove names a function and says how it moved.
func tellMove(m explain.Move) string {
	text := escape(m.Function)
	switch {
	case m.Base == 0:
		text += "  (new)"
	case m.Head == 0:
		text += "  (gone)"
	default:
		text += "  (" + percent(m.Delta(), m.Base) + ")"
	}
	if m.Into != "" {
		text += "  inlined into " + escape(m.Into)
	}
	return text
}

func writeLines(out *strings.Builder, lines []explain.LineMove, indent int) {
	shown := lines[:min(len(lines), mostLines)]
	width := 0
	for _, l := range shown {
		width = max(width, len(signedInt(l.Delta())))
	}
	for _, l := range shown {
		place := l.File + ":" + strconv.Itoa(l.Line)
		if l.File == "" {
			place = "no line known"
		}
		line := fmt.Sprintf("  %*s       %*s  %s  %s", indent, "", width, signedInt(l.Delta()), escape(place), escapeLines(l.Text))
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if others := len(lines) - len(shown); others > 0 {
		fmt.Fprintf(out, "  %*s       and %d other %s\n", indent, "", others, plural(others, "line"))
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func groupInt(n int64) string {
	if n < 0 {
		return "-" + group(strconv.FormatInt(n, 10)[1:])
	}
	return group(strconv.FormatInt(n, 10))
}

func signedInt(n int64) string { return signed(strconv.FormatInt(n, 10)) }
