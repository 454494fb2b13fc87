package throughput

import "slices"

// A Spread is the middle and the ends of some values.
type Spread struct{ Median, Least, Most float64 }

// spread returns that of the values, of which there is at least one. The median of
// an even number is the mean of the middle two.
func spread(values []float64) Spread {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	median := sorted[middle]
	if len(sorted)%2 == 0 {
		median = (sorted[middle-1] + sorted[middle]) / 2
	}
	return Spread{Median: median, Least: sorted[0], Most: sorted[len(sorted)-1]}
}
