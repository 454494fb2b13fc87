package count

import (
	"strings"
	"testing"
)

func TestChooseIters(t *testing.T) {
	for name, test := range map[string]struct {
		one  Run
		want int64
	}{
		"tiny":                       {Run{Total: 5, Regions: 1}, 1000},
		"just enough with the most":  {Run{Total: 1000, Regions: 1}, 1000},
		"one more is enough sooner":  {Run{Total: 2000, Regions: 1}, 500},
		"rounded up":                 {Run{Total: 300_000, Regions: 1}, 5},
		"half of enough":             {Run{Total: 500_000, Regions: 1}, 2},
		"enough":                     {Run{Total: 1_000_000, Regions: 1}, 1},
		"heavy":                      {Run{Total: 1 << 40, Regions: 1}, 1},
		"starts in each operation":   {Run{Total: 5, Regions: 2}, 20},
		"and is enough soon enough":  {Run{Total: 600_000, Regions: 2}, 2},
		"nothing to choose from yet": {Run{}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			if got := chooseIters(test.one); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestSettle(t *testing.T) {
	// Runs of the totals, which allocate nothing.
	of := func(totals ...int64) (runs []signature) {
		for _, total := range totals {
			runs = append(runs, signature{total: total})
		}
		return runs
	}
	pinned := Expectation{Iters: 1, Total: 7, Allocs: new(int64(2)), Bytes: new(int64(16))}
	loose := Expectation{Iters: 1, Total: 7}
	for name, test := range map[string]struct {
		runs    []signature
		want    Expectation
		chosen  int
		settled bool
	}{
		"one run":                  {of(7), Expectation{}, 0, false},
		"three agree":              {of(7, 7, 7), Expectation{}, 0, true},
		"the first three":          {of(7, 8, 7, 8, 8, 7, 7), Expectation{}, 4, true},
		"never":                    {of(1, 2, 3, 4, 5, 6, 7, 8, 9), Expectation{}, 0, false},
		"the most of them":         {of(1, 2, 2), Expectation{}, 2, false},
		"the first of a tie":       {of(1, 2, 2, 1), Expectation{}, 2, false},
		"agreement comes too late": {of(1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9), Expectation{}, 0, false},
		"other allocations":        {[]signature{{7, 1, 8}, {7, 2, 8}, {7, 2, 8}, {7, 1, 8}}, Expectation{}, 2, false},
		"other bytes":              {[]signature{{7, 1, 8}, {7, 1, 9}, {7, 1, 8}}, Expectation{}, 0, false},
		"as pinned":                {[]signature{{7, 2, 16}}, pinned, 0, true},
		"other than pinned":        {[]signature{{7, 2, 17}}, pinned, 0, false},
		"allocations not pinned":   {[]signature{{7, 2, 17}}, loose, 0, true},
		"as pinned, but too late":  {[]signature{{8, 2, 16}, {7, 2, 16}}, pinned, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			chosen, settled := settle(test.runs, test.want)
			if chosen != test.chosen || settled != test.settled {
				t.Errorf("got run %d, %v, want %d, %v", chosen, settled, test.chosen, test.settled)
			}
		})
	}
}

// Two benchmarks never share a file, and none leaves the folder.
func TestProfilePath(t *testing.T) {
	long := strings.Repeat("x", 300)
	seen := make(map[string]string)
	for _, key := range []string{
		"a.B", "a.B/c", "a.B/c#01", "a.B/c%2301", "a.B/..", "a.B/.", "a.B//", "a.B/", "a.B/%2E%2E",
		"a.B/\x00", "a.B/ü", "a.B/" + long, "a.B/" + long + "y", "../x.B", "/etc.B", "a.B/c d", "a.B/c_d",
	} {
		path := ProfilePath("dir", key)
		if other, ok := seen[path]; ok {
			t.Errorf("%q and %q share %s", key, other, path)
		}
		seen[path] = key
		inside := strings.TrimPrefix(path, "dir/")
		if inside == path || strings.Contains("/"+inside+"/", "/../") || strings.ContainsRune(inside, 0) {
			t.Errorf("%q: got %q, want it below dir", key, path)
		}
		for element := range strings.SplitSeq(inside, "/") {
			if len(element) > 255 {
				t.Errorf("%q: an element has %d bytes, NAME_MAX is 255", key, len(element))
			}
		}
	}
}
