package budget

import (
	"fmt"
	"math/big"
	"strings"
)

// A Band is how far a count may be from its pin, in percent of the pin: "2%",
// "0.5%", or "0%" for exactly the pin.
type Band string

// ParseBand reads a band from "0%" to "100%".
func ParseBand(text string) (Band, error) {
	digits, ok := strings.CutSuffix(text, "%")
	if !ok {
		return "", fmt.Errorf("%q is no percentage, as \"2%%\" or \"0.5%%\" are", text)
	}
	percent, err := parseDecimal(digits)
	if err != nil || strings.Contains(digits, "_") {
		return "", fmt.Errorf("%q is no percentage, as \"2%%\" or \"0.5%%\" are", text)
	}
	if percent.Rat().Cmp(big.NewRat(100, 1)) > 0 {
		return "", fmt.Errorf("%q is more than 100%%", text)
	}
	return Band(text), nil
}

// Rat returns the band as a fraction: 1/50 for "2%".
func (b Band) Rat() *big.Rat {
	percent := Decimal(strings.TrimSuffix(string(b), "%")).Rat()
	return percent.Quo(percent, big.NewRat(100, 1))
}

// Limits returns the least and the most whole count inside the band around
// total, both inclusive: total × (1 ± band), never rounded outwards.
func (b Band) Limits(total int64) (least, most int64) {
	pin := new(big.Rat).SetInt64(total)
	width := new(big.Rat).Mul(pin, b.Rat())

	low := new(big.Rat).Sub(pin, width)
	// Rounded up: (num + denom - 1) / denom.
	up := new(big.Int).Add(low.Num(), low.Denom())
	up.Sub(up, big.NewInt(1))
	up.Quo(up, low.Denom())

	high := new(big.Rat).Add(pin, width)
	down := new(big.Int).Quo(high.Num(), high.Denom())
	if !down.IsInt64() {
		down.SetInt64(1<<63 - 1)
	}
	return up.Int64(), down.Int64()
}
