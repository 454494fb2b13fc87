package report

import (
	"bytes"
	"errors"
	"testing"

	"github.com/perfpin/perfpin/tasks/count"
)

func TestSpreads(t *testing.T) {
	rows := []SpreadRow{
		{Spread: count.Spread{Bench: "p.Same", Totals: []int64{1000, 1000}, Settled: 1000, LeftOut: []string{"environment", "TMPDIR"}}, Band: "0%"},
		{Spread: count.Spread{Bench: "p.Near", Totals: []int64{1000, 1010, 1000, 1000}, Settled: 1000, IsSettled: true,
			Moved: []count.Difference{{Function: "runtime.schedule", Ir: 12}, {Function: "runtime.park_m", Ir: -2}}}, Band: "1%"},
		{Spread: count.Spread{Bench: "p.Far", Totals: []int64{1000, 1011}, Settled: 1000,
			Moved: []count.Difference{{Function: "p.work", Ir: 11}}}, Band: "1%"},
		{Spread: count.Spread{Bench: "p.Bad", Err: errors.New("exit status 3\nlast words")}},
		{Spread: count.Spread{Bench: "example.com/m", Err: errors.New("does not compile")}},
	}
	var out bytes.Buffer
	if err := Spreads(&out, rows); err != nil {
		t.Fatal(err)
	}
	golden(t, "spread.golden", out.Bytes())
}
