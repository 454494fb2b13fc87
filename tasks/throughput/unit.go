package throughput

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// parseDuration reads a number with its unit, as "3.00s", "3000.7 ms" or "12.5us".
// A number without a unit is an error: nothing says what it means.
func parseDuration(text string) (time.Duration, error) {
	number, unit, err := splitUnit(text)
	if err != nil {
		return 0, fmt.Errorf("duration %q: %w", text, err)
	}
	units := map[string]time.Duration{
		"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond,
		"ms": time.Millisecond, "s": time.Second, "sec": time.Second, "secs": time.Second,
		"m": time.Minute, "min": time.Minute, "h": time.Hour,
	}
	scale, known := units[unit]
	if !known {
		return 0, fmt.Errorf("duration %q: unknown unit %q", text, unit)
	}
	return toDuration(number * float64(scale))
}

// seconds returns a duration given as a number of seconds.
func seconds(number float64) (time.Duration, error) { return toDuration(number * float64(time.Second)) }

func toDuration(nanoseconds float64) (time.Duration, error) {
	// Not-a-number fails both comparisons.
	if !(nanoseconds >= 0 && nanoseconds < math.MaxInt64) {
		return 0, fmt.Errorf("duration of %g ns: out of range", nanoseconds)
	}
	return time.Duration(math.Round(nanoseconds)), nil
}

// parseBytes reads a number of bytes with its unit, as "1024 kB" or "1.5 MiB". As
// in /proc, kB is 1024 bytes, and so are the other prefixes without an i.
func parseBytes(text string) (int64, error) {
	number, unit, err := splitUnit(text)
	if err != nil {
		return 0, fmt.Errorf("size %q: %w", text, err)
	}
	prefix, isBytes := strings.CutSuffix(unit, "B")
	power := strings.Index("KMGT", strings.ToUpper(strings.TrimSuffix(prefix, "i")))
	if !isBytes || power < 0 || (prefix != "" && len(strings.TrimSuffix(prefix, "i")) != 1) {
		return 0, fmt.Errorf("size %q: unknown unit %q", text, unit)
	}
	if prefix != "" {
		number *= math.Pow(1024, float64(power+1))
	}
	if !(number >= 0 && number < math.MaxInt64) {
		return 0, fmt.Errorf("size %q: out of range", text)
	}
	return int64(math.Round(number)), nil
}

// splitUnit parts "3000.7 ms" into 3000.7 and "ms".
func splitUnit(text string) (number float64, unit string, err error) {
	digits := strings.TrimLeft(text, "0123456789.")
	number, err = strconv.ParseFloat(text[:len(text)-len(digits)], 64)
	if err != nil {
		return 0, "", fmt.Errorf("does not begin with a number")
	}
	return number, strings.TrimSpace(digits), nil
}
