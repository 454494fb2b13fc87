package gate

import (
	"fmt"
	"slices"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/count"
)

// CheckPin tells why a count must not become a pin with this band: there is no
// count, or its runs disagree by more than the band around it covers, so that
// an unchanged tree would not pass.
func CheckPin(c *count.Count, band budget.Band) error {
	if c.Err != nil {
		return fmt.Errorf("%s: not pinned: %w", c.Bench, c.Err)
	}
	v := Verdict{Count: c}
	if !v.Varies() {
		return nil
	}
	least, most := slices.Min(c.Runs), slices.Max(c.Runs)
	low, high := band.Limits(c.Total)
	if least < low || most > high {
		return fmt.Errorf("%s: not pinned: runs disagree: %d to %d instructions, and the band of %s around %d is %d to %d",
			c.Bench, least, most, band, c.Total, low, high)
	}
	return nil
}
