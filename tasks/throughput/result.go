package throughput

import (
	"time"

	"github.com/perfpin/perfpin/tasks/machine"
)

// A Header says where and how it was measured.
type Header struct {
	Date time.Time
	// Host is for the terminal only: what is kept or published has no host name.
	Host    string
	Machine machine.Machine
	OS      string
	Go      string
	// Subject is the version of the server that is compared, Commit its commit.
	Subject, Commit string
	// SubjectArgs are what it was started with beside address and folder.
	SubjectArgs []string
	Nginx       string // "" where it does not run
	Generator   string
	// Latency says what the generator's percentiles are.
	Latency          string
	Connections      int
	Duration, Warmup time.Duration
	Rounds           int
	Placement        Placement
	// NoQuota is why servers could not be given less than a processor, nil where they
	// could or it was not needed.
	NoQuota error
}

// A Row is what was measured of one request.
type Row struct {
	Request string
	// Default tells that the subject ran with its default options.
	Default bool
	// Threads are those of the load generator, Share is what each server could use of
	// its processor.
	Threads int
	Share   float64
	// Repeated is how many turns were measured again, since the hypervisor had taken
	// more than MostStolen of a processor.
	Repeated int
	// Results are one a server, the subject first.
	Results []Result
	// Err is why there are no results. A request without any invalid window has none.
	Err error
}

// A Result is what was measured of one server.
type Result struct {
	Server string
	// Samples are one a round.
	Samples []Sample
	// PeakMemory is the most resident memory of the server's process so far, in bytes.
	PeakMemory int64
}

// PerCPUSecond spreads requests per second of processor time over the rounds.
func (r Result) PerCPUSecond() Spread { return r.over(Sample.PerCPUSecond) }

// PerSecond spreads requests per second over the rounds.
func (r Result) PerSecond() Spread { return r.over(Sample.PerSecond) }

// Use spreads the part that the server used of what it had.
func (r Result) Use() Spread { return r.over(func(s Sample) float64 { return s.Use.Server }) }

// Percentile spreads a percentile of the latency, in seconds; false where a round
// has none.
func (r Result) Percentile(p float64) (Spread, bool) {
	for _, s := range r.Samples {
		if _, found := s.Percentiles[p]; !found {
			return Spread{}, false
		}
	}
	return r.over(func(s Sample) float64 { return s.Percentiles[p].Seconds() }), true
}

// Saturation judges all rounds.
func (r Result) Saturation() Saturation {
	var all []Saturation
	for _, s := range r.Samples {
		all = append(all, s.Saturation)
	}
	return judgeAll(all)
}

func (r Result) over(value func(Sample) float64) Spread {
	var values []float64
	for _, s := range r.Samples {
		values = append(values, value(s))
	}
	return spread(values)
}

// A Ratio is the subject's requests per second of processor time, divided by those
// of another server.
type Ratio struct {
	Against string
	// Rounds are the ratios of the same round's samples, Spread what they come to.
	Rounds []float64
	Spread
	// Saturation is Saturated where both servers were, otherwise why one was not.
	Saturation Saturation
}

// Withheld tells that the ratio says nothing: one of the servers waited for a load
// generator that waited too.
func (r Ratio) Withheld() bool { return r.Saturation == LoadIdle }

// Ratios compares the subject with each other server.
func (r Row) Ratios() []Ratio {
	var ratios []Ratio
	for i, other := range r.Results {
		if i == 0 {
			continue
		}
		subject := r.Results[0]
		ratio := Ratio{Against: other.Server, Saturation: worse(subject.Saturation(), other.Saturation())}
		for round, sample := range subject.Samples {
			ratio.Rounds = append(ratio.Rounds, sample.PerCPUSecond()/other.Samples[round].PerCPUSecond())
		}
		ratio.Spread = spread(ratio.Rounds)
		ratios = append(ratios, ratio)
	}
	return ratios
}
