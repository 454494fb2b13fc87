package throughput

import (
	"errors"
	"maps"
	"math"
	"testing"
	"time"
)

// turnOf is a turn of two servers with what was stolen in each window.
func turnOf(requests int64, stolen ...float64) []Sample {
	var turn []Sample
	for _, part := range stolen {
		turn = append(turn, Sample{Requests: requests, Use: Use{Stolen: part}})
	}
	return turn
}

func TestQuietest(t *testing.T) {
	for name, test := range map[string]struct {
		turns          [][]Sample
		want, repeated int64 // want is the turn, by its number of requests
	}{
		"nothing stolen":         {[][]Sample{turnOf(1, 0, 0)}, 1, 0},
		"little stolen":          {[][]Sample{turnOf(1, 0, MostStolen)}, 1, 0},
		"quiet in the end":       {[][]Sample{turnOf(1, 0, 0.2), turnOf(2, 0.5, 0), turnOf(3, 0.01, 0.02)}, 3, 2},
		"the quietest of all":    {[][]Sample{turnOf(1, 0.3, 0), turnOf(2, 0.1, 0.1), turnOf(3, 0, 0.2), turnOf(4, 0.5, 0.5), turnOf(5, 0, 0.11)}, 2, 4},
		"faster ones do not win": {[][]Sample{turnOf(9, 0.3, 0), turnOf(1, 0, 0)}, 1, 1},
	} {
		next := 0
		got, repeated, err := quietest(func() ([]Sample, error) { next++; return test.turns[next-1], nil })
		if err != nil || got[0].Requests != test.want || int64(repeated) != test.repeated || next != len(test.turns) {
			t.Errorf("%s: got turn %d, %d repeated, %v; want %d and %d", name, got[0].Requests, repeated, err, test.want, test.repeated)
		}
	}
	cause := errors.New("gone")
	if _, _, err := quietest(func() ([]Sample, error) { return nil, cause }); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
}

func TestJoin(t *testing.T) {
	got := join([]Sample{
		{Requests: 100, Duration: time.Second, CPU: 500 * time.Millisecond, Saturation: Saturated,
			Use:         Use{Server: 1, ServerCPU: 0.5, Load: 0.8, LoadCPU: 0.9, Throttled: 1, Stolen: 0.01, Share: 0.5},
			Percentiles: map[float64]time.Duration{50: 3, 99: 9}},
		{Requests: 300, Duration: 3 * time.Second, CPU: 1500 * time.Millisecond, Saturation: Saturated,
			Use:         Use{Server: 0.8, ServerCPU: 0.9, Load: 0.4, LoadCPU: 0.5, Throttled: 0.8, Stolen: 0.02, Share: 0.5},
			Percentiles: map[float64]time.Duration{50: 1, 99: 5}},
		{Requests: 600, Duration: time.Second, CPU: 2 * time.Second, Saturation: LoadIdle,
			Use:         Use{Server: 0.6, ServerCPU: 0.3, Load: 1, LoadCPU: 1, Throttled: 0, Stolen: 0, Share: 0.5},
			Percentiles: map[float64]time.Duration{50: 2}},
	})
	if got.Requests != 1000 || got.Duration != 5*time.Second || got.CPU != 4*time.Second || got.PerCPUSecond() != 250 {
		t.Errorf("sums: got %+v", got)
	}
	// By how long each window was: (1 + 3·0.8 + 0.6) ÷ 5 for the server.
	want := Use{Server: 0.8, ServerCPU: 0.7, Load: 0.6, LoadCPU: 0.68, Throttled: 0.68, Stolen: 0.02, Share: 0.5}
	for name, pair := range map[string][2]float64{
		"server": {got.Use.Server, want.Server}, "server's processor": {got.Use.ServerCPU, want.ServerCPU},
		"load": {got.Use.Load, want.Load}, "load's processors": {got.Use.LoadCPU, want.LoadCPU},
		"throttled": {got.Use.Throttled, want.Throttled}, "stolen": {got.Use.Stolen, want.Stolen}, "share": {got.Use.Share, want.Share},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("%s: got %v, want %v", name, pair[0], pair[1])
		}
	}
	if got.Saturation != Saturated {
		t.Errorf("got %q, want that of most windows", got.Saturation)
	}
	// A percentile that one window lacks is not that of the rest.
	if !maps.Equal(got.Percentiles, map[float64]time.Duration{50: 2}) {
		t.Errorf("percentiles: got %v", got.Percentiles)
	}
}
