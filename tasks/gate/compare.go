package gate

import (
	"fmt"
	"slices"
)

// compare judges a count against a pin of the same number of operations.
func compare(v *Verdict) {
	least, most := v.Count.Total, v.Count.Total
	if v.Varies() {
		least, most = slices.Min(v.Count.Runs), slices.Max(v.Count.Runs)
	}
	low, high := v.Band.Limits(v.Pin.Total())
	var up, down []string
	switch {
	case least > high:
		up = append(up, tell("instructions", v.Count.Total, v.Pin.Total()))
	case most < low:
		down = append(down, tell("instructions", v.Count.Total, v.Pin.Total()))
	case least < low || most > high:
		v.Kind = Failed
		v.Err = fmt.Errorf("runs disagree: %d to %d instructions, and the band of %s is %d to %d",
			least, most, v.Band, low, high)
		return
	}
	judgeExact("allocs", v.Count.Allocs, v.Pin.AllocsTotal, &up, &down)
	judgeExact("bytes", v.Count.Bytes, v.Pin.BytesTotal, &up, &down)
	switch {
	case up != nil:
		v.Kind, v.Moved = Regressed, append(up, down...)
	case down != nil:
		v.Kind, v.Moved = Improved, down
	default:
		v.Kind = Within
	}
}

// judgeExact sorts a measure that has no band into what went up or down.
func judgeExact(name string, got int64, pinned func() (int64, bool), up, down *[]string) {
	want, ok := pinned()
	switch {
	case !ok || got == want:
	case got > want:
		*up = append(*up, tell(name, got, want))
	default:
		*down = append(*down, tell(name, got, want))
	}
}

func tell(name string, got, pinned int64) string {
	return fmt.Sprintf("%s: %d, pinned %d", name, got, pinned)
}
