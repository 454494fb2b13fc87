package throughput

import "math"

// A strain is how a request's servers are loaded: all of them in the same way.
type strain struct {
	// threads are the load generator's, each on a processor of its own.
	threads int
	// share is what each server may use of its processor.
	share float64
}

// next returns what to try when the load generator could not keep every server
// busy: twice the threads, as far as there are processors, then servers with a
// smaller share of theirs. again is false when all were kept busy, when the cause
// is another, and when nothing is left to try; then the strain is the one to use.
func (s strain) next(samples []Sample, processors, connections int) (to strain, again bool) {
	short, used := false, s.share
	for _, x := range samples {
		// A quota, too, can leave the load generator idle: while the servers pause.
		if x.Saturation == LoadLimited || (s.share < 1 && x.Saturation == LoadIdle) {
			short, used = true, min(used, x.Use.Server*s.share)
		}
	}
	if !short {
		return s, false
	}
	// wrk gives each thread the same number of connections, and drops the rest.
	if n := 2 * s.threads; n <= processors && connections%n == 0 {
		return strain{threads: n, share: s.share}, true
	}
	// Below what the fastest server could use, by enough for the load to be in time;
	// in twentieths.
	const margin, steps = 0.8, 20
	share := math.Floor(used*margin*steps+1e-9) / steps
	if share < leastShare {
		return strain{threads: s.threads, share: 1}, false
	}
	return strain{threads: s.threads, share: share}, true
}
