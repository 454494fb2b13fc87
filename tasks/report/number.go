package report

import (
	"math/big"
	"strings"

	"github.com/perfpin/perfpin/tasks/budget"
)

// group writes a decimal with commas between thousands: 1,204,332.5.
func group(digits string) string {
	whole, fraction, hasPoint := strings.Cut(digits, ".")
	var out strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(c)
	}
	if hasPoint {
		out.WriteString("." + fraction)
	}
	return out.String()
}

// signed writes a decimal difference with its sign; zero has none.
func signed(decimal string) string {
	digits, negative := strings.CutPrefix(decimal, "-")
	switch {
	case digits == "0":
		return digits
	case negative:
		return "-" + group(digits)
	}
	return "+" + group(digits)
}

// percent writes part/whole with two decimals. A change that two decimals
// would show as none is shown as less than the least that they can.
func percent(part, whole int64) string {
	ratio := new(big.Rat).SetFrac(big.NewInt(part), big.NewInt(whole))
	ratio.Mul(ratio, big.NewRat(100, 1))
	text := ratio.FloatString(2)
	sign := "+"
	if part < 0 {
		sign = "-"
	}
	text = strings.TrimPrefix(text, "-")
	switch {
	case part == 0:
		return "0%"
	case text == "0.00":
		return sign + "<0.01%"
	}
	return sign + text + "%"
}

// Group writes a decimal with commas between thousands: 1,204,332.5.
func Group(digits string) string { return group(digits) }

// Percent writes part/whole with its sign and two decimals: +0.25%.
func Percent(part, whole int64) string { return percent(part, whole) }

// SignedPerOperation writes a difference of iters operations as one of each: -0.5.
func SignedPerOperation(delta, iters int64) string {
	if delta < 0 {
		return signed("-" + string(budget.PerOperation(-delta, iters)))
	}
	return signed(string(budget.PerOperation(delta, iters)))
}
