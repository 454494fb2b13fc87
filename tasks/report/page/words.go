package page

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/report"
)

// age tells how long before the report something was measured, by its largest unit.
func age(d time.Duration) string {
	for _, unit := range []struct {
		name string
		is   time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int64(d / unit.is); n == 1 {
			return "1 " + unit.name + " old"
		} else if n > 1 {
			return fmt.Sprintf("%d %ss old", n, unit.name)
		}
	}
	return "new"
}

// date is in UTC, as a reader of any country reads it.
func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// commit is its short form, and whether the tree had other contents.
func commit(hash string, dirty bool) string {
	if hash == "" {
		return "commit not known"
	}
	text := "commit " + hash[:min(12, len(hash))]
	if dirty {
		text += ", modified"
	}
	return text
}

// tell says how old a section is, of which commit it is and on what it was measured.
func (o Origin) tell(written time.Time) []string {
	if o.Measured == nil {
		return nil
	}
	parts := []string{
		age(written.Sub(*o.Measured)),
		"measured " + date(*o.Measured),
		commit(o.Commit, o.Dirty),
	}
	if o.Machine == nil || o.Machine.String() == "" {
		return append(parts, "machine not known")
	}
	return append(parts, o.Machine.String())
}

// seconds writes a duration with three digits in the unit that fits.
func seconds(s float64) string {
	for _, unit := range []struct {
		name string
		is   float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if math.Abs(s) >= unit.is {
			return significant(s/unit.is) + " " + unit.name
		}
	}
	return significant(s/1e-9) + " ns"
}

// significant writes three digits, or all of a whole part that is longer.
func significant(f float64) string {
	decimals := 2
	for limit := 10.0; limit <= 100 && math.Abs(f) >= limit; limit *= 10 {
		decimals--
	}
	return strconv.FormatFloat(f, 'f', decimals, 64)
}

// rate writes requests per second, without decimals: rounds differ by more.
func rate(f float64) string { return report.Group(strconv.FormatFloat(f, 'f', 0, 64)) }

// size writes bytes in the unit of the kernel's tools, 1 MiB being 1,048,576 bytes.
func size(n int64) string {
	switch {
	case n >= 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<20), 'f', 2, 64) + " MiB"
	case n >= 1<<10:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + " KiB"
	}
	return strconv.FormatInt(n, 10) + " B"
}

// share writes part/whole in percent, rounded down: 100 % is all.
func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	tenths := 1000 * part / whole
	return fmt.Sprintf("%d.%d%%", tenths/10, tenths%10)
}

// counts of a bench, as people read them; "–" where there is none.
type cells struct{ ir, pinned, delta, change, band, allocs, bytes string }

func (b Bench) cells() cells {
	c := cells{"–", "–", "–", "–", "–", "–", "–"}
	if b.Ir != nil {
		c.ir = report.Group(b.Ir.String())
	}
	if b.Allocs != nil {
		c.allocs = report.Group(b.Allocs.String())
	}
	if b.Bytes != nil {
		c.bytes = report.Group(b.Bench.Bytes.String())
	}
	if b.Pin != nil {
		c.pinned, c.band = report.Group(b.Pin.Ir.String()), cmp.Or(b.Band, "–")
	}
	if b.Delta != nil && b.Iters != nil {
		c.delta = report.SignedPerOperation(*b.Delta, *b.Iters)
		c.change = report.Percent(*b.Delta, b.Pin.Total)
	}
	return c
}

// kinds are in the order in which they matter to a reader: what fails comes first.
func kinds() []gate.Kind {
	return []gate.Kind{
		gate.Failed, gate.Regressed, gate.Missing, gate.Unpinned, gate.Improved,
		gate.NotComparable, NotCounted, gate.Within,
	}
}
