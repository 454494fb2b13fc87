package history

import (
	"cmp"
	"slices"
	"time"

	"github.com/perfpin/perfpin/tasks/budget"
)

// A Revision is a state of budgets.toml that was committed.
type Revision struct {
	Date   time.Time
	Commit string
	File   *budget.File
}

// A Point is one count of one bench: Total instructions of Iters operations.
type Point struct {
	Date   time.Time `json:"date"`
	Commit string    `json:"commit"`
	Iters  int64     `json:"iters"`
	Total  int64     `json:"total"`
	// Pin tells that it was pinned at that commit; otherwise a run counted it.
	Pin bool `json:"pin,omitempty"`
}

// PerOperation is for drawing: it is not exact.
func (p Point) PerOperation() float64 { return float64(p.Total) / float64(p.Iters) }

// Series are the points of each bench, the oldest first.
type Series struct {
	Benches map[string][]Point
	// OtherRuns and OtherRevisions count what was taken on a platform that cannot be
	// compared, and is left out.
	OtherRuns, OtherRevisions int
}

// Join joins runs and pins to the points that can be compared with the platform. A
// revision that leaves a pin as it was is no point of its own.
func Join(runs []Entry, revisions []Revision, platform budget.Platform) Series {
	s := Series{Benches: make(map[string][]Point)}
	for _, run := range runs {
		if !run.Platform.comparable(platform) {
			s.OtherRuns++
			continue
		}
		for _, c := range run.Benches {
			s.add(c.Bench, Point{Date: run.Date, Commit: run.Commit, Iters: c.Iters, Total: c.Total})
		}
	}
	revisions = slices.SortedStableFunc(slices.Values(revisions), func(a, b Revision) int { return a.Date.Compare(b.Date) })
	last := make(map[string]Point)
	for _, r := range revisions {
		if len(r.File.Pinned.Diff(platform)) > 0 {
			s.OtherRevisions++
			continue
		}
		for _, pin := range r.File.Pins {
			was, known := last[pin.Bench]
			if known && was.Iters == pin.Iters && was.Total == pin.Total() {
				continue
			}
			p := Point{Date: r.Date, Commit: r.Commit, Iters: pin.Iters, Total: pin.Total(), Pin: true}
			last[pin.Bench] = p
			s.add(pin.Bench, p)
		}
	}
	for _, points := range s.Benches {
		// A pin comes before the run of the same second: it is what the run is held to.
		slices.SortStableFunc(points, func(a, b Point) int {
			return cmp.Or(a.Date.Compare(b.Date), cmp.Compare(order(a), order(b)))
		})
	}
	return s
}

func order(p Point) int {
	if p.Pin {
		return 0
	}
	return 1
}

func (s Series) add(bench string, p Point) {
	p.Date = p.Date.UTC()
	s.Benches[bench] = append(s.Benches[bench], p)
}
