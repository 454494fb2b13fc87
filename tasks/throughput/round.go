package throughput

import (
	"context"
	"fmt"
	"time"
)

// windowLength is how long one server is under load before it is another's turn.
// What disturbs a machine lasts from one second to some: the faster the turns, the
// more alike is what the servers of a round meet. Load generators take whole seconds.
const windowLength = time.Second

const (
	// MostStolen is the part of a window that the hypervisor may give to others. The
	// processor-time clock leaves it out, but what comes after it finds cold caches:
	// in windows of which a third was stolen, a server's rate per CPU-second was a third
	// lower.
	MostStolen = 0.03
	// turnAttempts is how often a turn is measured until nothing more was stolen.
	turnAttempts = 5
)

// round gives each server the load for the options' duration, in turns, and returns
// what that comes to for each. repeated is how many turns were measured again.
func (h *Harness) round(ctx context.Context, r Request, servers []*server, to strain) (samples []Sample, repeated int, err error) {
	windows := make([][]Sample, len(servers))
	for range h.options.Duration / windowLength {
		turn, again, err := quietest(func() ([]Sample, error) { return h.turn(ctx, r, servers, to, windowLength) })
		if err != nil {
			return nil, repeated, err
		}
		repeated += again
		for i, sample := range turn {
			windows[i] = append(windows[i], sample)
		}
	}
	for _, w := range windows {
		samples = append(samples, join(w))
	}
	return samples, repeated, nil
}

// quietest measures a turn again, repeated times, until little was stolen from it.
// What counts is the attempt from which least was: to choose by anything that depends
// on the servers' figures would be to choose the figures.
func quietest(measure func() ([]Sample, error)) (quiet []Sample, repeated int, err error) {
	for ; ; repeated++ {
		turn, err := measure()
		if err != nil {
			return nil, repeated, err
		}
		if quiet == nil || stolen(turn) < stolen(quiet) {
			quiet = turn
		}
		if stolen(quiet) <= MostStolen || repeated == turnAttempts-1 {
			return quiet, repeated, nil
		}
	}
}

// turn gives each server one window.
func (h *Harness) turn(ctx context.Context, r Request, servers []*server, to strain, window time.Duration) ([]Sample, error) {
	var samples []Sample
	for _, s := range servers {
		sample, err := h.window(ctx, s, r, to, window)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		samples = append(samples, sample)
	}
	return samples, nil
}

// stolen is the most that was stolen from a window.
func stolen(samples []Sample) float64 {
	most := 0.0
	for _, s := range samples {
		most = max(most, s.Use.Stolen)
	}
	return most
}

// join makes one sample of a server's windows. Percentiles cannot be joined: they are
// the middle of the windows'.
func join(windows []Sample) Sample {
	var joined Sample
	var judgements []Saturation
	for _, w := range windows {
		joined.Requests += w.Requests
		joined.Duration += w.Duration
		joined.CPU += w.CPU
		judgements = append(judgements, w.Saturation)
	}
	joined.Saturation = judgeAll(judgements)
	mean := func(part func(Use) float64) float64 {
		sum := 0.0
		for _, w := range windows {
			sum += part(w.Use) * w.Duration.Seconds()
		}
		return sum / joined.Duration.Seconds()
	}
	joined.Use = Use{
		Server:    mean(func(u Use) float64 { return u.Server }),
		ServerCPU: mean(func(u Use) float64 { return u.ServerCPU }),
		Load:      mean(func(u Use) float64 { return u.Load }),
		LoadCPU:   mean(func(u Use) float64 { return u.LoadCPU }),
		Throttled: mean(func(u Use) float64 { return u.Throttled }),
		Stolen:    stolen(windows),
		Share:     windows[0].Use.Share,
		Shared:    windows[0].Use.Shared,
	}
	joined.Percentiles = middlePercentiles(windows)
	return joined
}

// typical returns for each server one sample that stands for all of its rounds.
func typical(results []Result) []Sample {
	var samples []Sample
	for _, r := range results {
		samples = append(samples, Sample{Use: Use{Server: r.Use().Median}, Saturation: r.Saturation()})
	}
	return samples
}

// middlePercentiles returns the median of each percentile that all windows have.
func middlePercentiles(windows []Sample) map[float64]time.Duration {
	middle := map[float64]time.Duration{}
	for p := range windows[0].Percentiles {
		var values []float64
		for _, w := range windows {
			if value, found := w.Percentiles[p]; found {
				values = append(values, float64(value))
			}
		}
		if len(values) == len(windows) {
			middle[p] = time.Duration(spread(values).Median)
		}
	}
	return middle
}
