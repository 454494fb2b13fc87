package budget

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// A Decimal is a number that is not negative, in plain digits with at most one
// point: "2000.5". No arithmetic here goes through floating point.
type Decimal string

// maxDigits bounds a Decimal's text: no int64 per operation needs more than 19
// digits on either side of the point.
const maxDigits = 40

func parseDecimal(text string) (Decimal, error) {
	digits := strings.ReplaceAll(text, "_", "") // TOML allows 1_000
	switch {
	case strings.HasPrefix(digits, "-"):
		return "", fmt.Errorf("%s is negative", text)
	case strings.HasSuffix(digits, "nan"), strings.HasSuffix(digits, "inf"):
		return "", fmt.Errorf("%s is not a number", text)
	case len(digits) > maxDigits:
		return "", fmt.Errorf("%s has more than %d digits", text, maxDigits)
	}
	whole, fraction, hasPoint := strings.Cut(digits, ".")
	if !isDigits(whole) || hasPoint && !isDigits(fraction) {
		return "", fmt.Errorf("%s is not in plain decimal digits", text)
	}
	if len(whole) > 1 && whole[0] == '0' {
		return "", fmt.Errorf("%s starts with a zero", text)
	}
	return Decimal(digits), nil
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// Rat returns the number's exact value; 0 for the empty Decimal.
func (d Decimal) Rat() *big.Rat {
	value, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return new(big.Rat)
	}
	return value
}

// Times returns d × n rounded to a whole number, halves up. It is an error where that
// is no int64.
func (d Decimal) Times(n int64) (int64, error) {
	product := d.Rat()
	product.Mul(product, new(big.Rat).SetInt64(n))
	product.Add(product, big.NewRat(1, 2))
	// Num and Denom are not negative here, so Quo rounds down.
	whole := new(big.Int).Quo(product.Num(), product.Denom())
	if !whole.IsInt64() {
		return 0, errors.New("the total is too large to be a count")
	}
	return whole.Int64(), nil
}

// PerOperation returns the Decimal with the fewest decimals that, times iters
// and rounded, is total again. It panics unless total ≥ 0 and iters ≥ 1.
func PerOperation(total, iters int64) Decimal {
	if total < 0 || iters < 1 {
		panic(fmt.Sprintf("budget: %d of %d operations is no count", total, iters))
	}
	var (
		scale = big.NewInt(1)
		n     = big.NewInt(iters)
		ten   = big.NewInt(10)
	)
	for decimals := 0; ; decimals++ {
		// The multiple of 1/scale nearest to total/iters, the upper one of two.
		// Where it misses, so does every other.
		unscaled, rest := new(big.Int).QuoRem(new(big.Int).Mul(big.NewInt(total), scale), n, new(big.Int))
		if rest.Lsh(rest, 1).Cmp(n) >= 0 {
			unscaled.Add(unscaled, big.NewInt(1))
		}
		d := formatDecimal(unscaled, decimals)
		if got, err := d.Times(iters); err == nil && got == total {
			return d
		}
		scale.Mul(scale, ten)
	}
}

func formatDecimal(unscaled *big.Int, decimals int) Decimal {
	digits := unscaled.String()
	if decimals == 0 {
		return Decimal(digits)
	}
	if missing := decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - decimals
	return Decimal(digits[:point] + "." + digits[point:])
}
