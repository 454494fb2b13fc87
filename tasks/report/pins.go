package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/perfpin/perfpin/tasks/budget"
)

// A PinChange is what a new pin changes. Old is nil for a bench that had none, New
// for a pin that is taken out.
type PinChange struct {
	Bench    string
	Old, New *budget.Pin
}

// Pins writes what changes, old → new in instructions per operation, and one line
// that counts. Pins that stay as they are are only counted.
func Pins(w io.Writer, changes []PinChange) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var added, changed, removed, kept int
	for _, c := range changes {
		switch {
		case c.Old == nil:
			added++
			fmt.Fprintf(table, "new\t%s\t%s Ir/op\n", escape(c.Bench), group(string(c.New.Ir)))
		case c.New == nil:
			removed++
			fmt.Fprintf(table, "gone\t%s\t%s Ir/op\n", escape(c.Bench), group(string(c.Old.Ir)))
		case samePin(c.Old, c.New):
			kept++
		default:
			changed++
			fmt.Fprintf(table, "changed\t%s\t%s\n", escape(c.Bench), tellChange(c.Old, c.New))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	pins := added + changed + kept
	_, err := fmt.Fprintf(w, "%d %s: %d new, %d changed, %d gone, %d as they were\n",
		pins, plural(pins, "pin"), added, changed, removed, kept)
	return err
}

func samePin(a, b *budget.Pin) bool {
	return a.Ir == b.Ir && a.Iters == b.Iters && a.Allocs == b.Allocs && a.Bytes == b.Bytes
}

func tellChange(before, after *budget.Pin) string {
	parts := []string{fmt.Sprintf("%s → %s Ir/op", group(string(before.Ir)), group(string(after.Ir)))}
	if before.Iters == after.Iters && before.Ir != after.Ir {
		parts[0] += " (" + percent(after.Total()-before.Total(), before.Total()) + ")"
	}
	if before.Allocs != after.Allocs {
		parts = append(parts, fmt.Sprintf("%s → %s allocs/op", orNone(before.Allocs), orNone(after.Allocs)))
	}
	if before.Bytes != after.Bytes {
		parts = append(parts, fmt.Sprintf("%s → %s B/op", orNone(before.Bytes), orNone(after.Bytes)))
	}
	return strings.Join(parts, ", ")
}

func orNone(d budget.Decimal) string {
	if d == "" {
		return "none"
	}
	return group(string(d))
}
