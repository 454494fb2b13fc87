package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/gate"
)

// A SpreadRow is the spread of one bench and the band that its budget allows, or why
// a whole package has none.
type SpreadRow struct {
	count.Spread
	Band budget.Band
}

// Holds tells that all runs were identical, or that any two of them are within
// the band of each other.
func (r SpreadRow) Holds() bool {
	if r.Err != nil {
		return false
	}
	least, most := slices.Min(r.Totals), slices.Max(r.Totals)
	if least == most {
		return true
	}
	_, high := r.Band.Limits(least)
	return most <= high
}

// Spreads writes one line a bench: the raw runs' least and most, how far they are
// apart, how many different totals there were, and what they settle to. Below stand
// why benches failed, and of those whose runs differ, the functions that differ most.
func Spreads(w io.Writer, rows []SpreadRow) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "bench\truns\tleast\tmost\tspread\tdistinct\tsettled\t")
	var identical, within, outside, failed int
	for _, r := range rows {
		if r.Err != nil {
			failed++
			fmt.Fprintf(table, "%s\tfailed\t\t\t\t\t\t\n", escape(r.Bench))
			continue
		}
		least, most := slices.Min(r.Totals), slices.Max(r.Totals)
		settled := group(fmt.Sprint(r.Settled))
		if !r.IsSettled {
			settled = "never"
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%d\t%s\t\n", escape(r.Bench), len(r.Totals),
			group(fmt.Sprint(least)), group(fmt.Sprint(most)), percent(most-least, least), r.Distinct(), settled)
		switch {
		case least == most:
			identical++
		case r.Holds():
			within++
		default:
			outside++
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var out strings.Builder
	for _, r := range rows {
		writeVariation(&out, r)
	}
	fmt.Fprintf(&out, "%s: %d identical, %d inside their band, %d outside, %d failed\n",
		gate.TellBenches(len(rows)), identical, within, outside, failed)
	_, err := io.WriteString(w, out.String())
	return err
}

func writeVariation(out *strings.Builder, r SpreadRow) {
	if r.Err != nil {
		fmt.Fprintf(out, "%s: %s\n", escape(r.Bench), escapeLines(r.Err.Error()))
		return
	}
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(out, "%s: not tried: %s: a command is given its environment\n", escape(r.Bench), strings.Join(r.LeftOut, ", "))
	}
	if len(r.Moved) == 0 {
		return
	}
	fmt.Fprintf(out, "%s: %s\n", escape(r.Bench), tellRuns(r.Totals))
	const shown = 8
	for i, d := range r.Moved {
		if i == shown {
			fmt.Fprintf(out, "  and %d more functions\n", len(r.Moved)-shown)
			break
		}
		fmt.Fprintf(out, "  %s Ir  %s\n", signed(fmt.Sprint(d.Ir)), escape(d.Function))
	}
}
