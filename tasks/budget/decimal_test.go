package budget

import (
	"math"
	"math/big"
	"strings"
	"testing"
)

func TestPerOperation(t *testing.T) {
	tests := []struct {
		total, iters int64
		want         Decimal
	}{
		{0, 7, "0"},
		{1000, 100, "10"},
		{2001, 2, "1000.5"},
		{1, 3, "0.3"}, // 0.3 × 3 = 0.9, which rounds to 1
		{2, 3, "0.7"},
		{5, 3, "1.7"}, // as would be 1.6
		{4, 3, "1.3"}, // as would be 1.4
		{1, 4, "0.3"}, // as would be 0.2
		{1, 1000, "0.001"},
		{100001, 200, "500.005"},
		{999_999, 1_000_000, "0.999999"},
		{math.MaxInt64, 1, "9223372036854775807"},
		{1, math.MaxInt64, "0.0000000000000000001"},
	}
	for _, test := range tests {
		got := PerOperation(test.total, test.iters)
		if got != test.want {
			t.Errorf("PerOperation(%d, %d) is %s, want %s", test.total, test.iters, got, test.want)
		}
	}
}

// FuzzPerOperation: the result gives the total back, and no shorter one does.
func FuzzPerOperation(f *testing.F) {
	for _, pair := range [][2]int64{{0, 1}, {1, 3}, {5, 2}, {math.MaxInt64, math.MaxInt64}, {math.MaxInt64, 3}, {12345, 1000}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, total, iters int64) {
		if total < 0 || iters < 1 {
			return
		}
		d := PerOperation(total, iters)
		if got, err := d.Times(iters); err != nil || got != total {
			t.Fatalf("%s × %d is %d (%v), want %d", d, iters, got, err, total)
		}
		if again, err := parseDecimal(string(d)); err != nil || again != d {
			t.Fatalf("%s is read as %s (%v)", d, again, err)
		}
		_, fraction, _ := strings.Cut(string(d), ".")
		if fraction == "" {
			return
		}
		// With one decimal less, the nearest values on both sides miss.
		shorter := big.NewInt(1)
		for range len(fraction) - 1 {
			shorter.Mul(shorter, big.NewInt(10))
		}
		low := new(big.Int).Mul(big.NewInt(total), shorter)
		low.Quo(low, big.NewInt(iters))
		for range 2 {
			if got, err := formatDecimal(low, len(fraction)-1).Times(iters); err == nil && got == total {
				t.Fatalf("%s is longer than %s", d, formatDecimal(low, len(fraction)-1))
			}
			low.Add(low, big.NewInt(1))
		}
	})
}

func TestTimes(t *testing.T) {
	tests := []struct {
		d    Decimal
		n    int64
		want int64
	}{
		{"2.5", 3, 8}, // 7.5
		{"2.4", 1, 2},
		{"0.5", 1, 1},
		{"0.49999999999999999999", 1, 0},
		{"922337203685477580.7", 10, math.MaxInt64},
		{"0.1", 9_007_199_254_740_995, 900_719_925_474_100}, // …099.5, which float64 cannot hold
	}
	for _, test := range tests {
		if got, err := test.d.Times(test.n); err != nil || got != test.want {
			t.Errorf("%s × %d is %d (%v), want %d", test.d, test.n, got, err, test.want)
		}
	}
	if got, err := Decimal("922337203685477580.8").Times(10); err == nil {
		t.Errorf("more than an int64 holds is %d", got)
	}
}

func TestLimits(t *testing.T) {
	tests := []struct {
		band        Band
		total       int64
		least, most int64
	}{
		{"0%", 1000, 1000, 1000},
		{"2%", 1000, 980, 1020},
		{"2%", 1001, 981, 1021}, // 980.98 to 1021.02
		{"0.5%", 1, 1, 1},
		{"50%", 1, 1, 1},
		{"100%", 3, 0, 6},
		{"100%", math.MaxInt64, 0, math.MaxInt64},
		{"0.1%", 9_007_199_254_740_993, 8_998_192_055_486_253, 9_016_206_453_995_733},
	}
	for _, test := range tests {
		least, most := test.band.Limits(test.total)
		if least != test.least || most != test.most {
			t.Errorf("%s around %d is %d to %d, want %d to %d", test.band, test.total, least, most, test.least, test.most)
		}
	}
}

func TestNewPin(t *testing.T) {
	pin, err := NewPin("a.B", 200, 100001, 0, 3200)
	if err != nil || pin.Ir != "500.005" || pin.Allocs != "0" || pin.Bytes != "16" || pin.Total() != 100001 {
		t.Errorf("%+v, %v", pin, err)
	}
	for _, bad := range [][4]int64{{0, 1, 0, 0}, {1, 0, 0, 0}, {1, 1, -1, 0}, {1, 1, 0, -1}} {
		if pin, err := NewPin("a.B", bad[0], bad[1], bad[2], bad[3]); err == nil {
			t.Errorf("NewPin%v is %+v, want an error", bad, pin)
		}
	}
}
