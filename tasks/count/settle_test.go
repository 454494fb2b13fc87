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
	for name, test := range map[string]struct {
		totals  []int64
		want    int64
		settled bool
	}{
		"one run":                  {[]int64{7}, 7, false},
		"three agree":              {[]int64{7, 7, 7}, 7, true},
		"the first three":          {[]int64{7, 8, 7, 8, 8, 7, 7}, 8, true},
		"never":                    {[]int64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, false},
		"the most of them":         {[]int64{1, 2, 2}, 2, false},
		"agreement comes too late": {[]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, settled := settle(test.totals)
			if got != test.want || settled != test.settled {
				t.Errorf("got %d, %v, want %d, %v", got, settled, test.want, test.settled)
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
