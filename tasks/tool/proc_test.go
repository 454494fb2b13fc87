package tool

import (
	"os"
	"strconv"
	"testing"
)

func TestParseStat(t *testing.T) {
	const line = "42 (a) S 9) (x) R 7 5 5 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 1000 77 18446744073709551615\n"
	got, err := parseStat([]byte(line))
	want := stat{state: 'R', parent: 7, group: 5, start: "12345", rss: 77}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for _, line := range []string{"", "42 (a", "42 (a) S 1 2 3", "42 (a) S x 5 5 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 1000 77"} {
		if got, err := parseStat([]byte(line)); err == nil {
			t.Errorf("%q: got %+v", line, got)
		}
	}
}

// FuzzParseStat demands that what is accepted has a state.
func FuzzParseStat(f *testing.F) {
	own, err := os.ReadFile("/proc/" + strconv.Itoa(os.Getpid()) + "/stat")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(own)
	f.Add([]byte("1 ()) Z 0 0"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if s, err := parseStat(line); err == nil && (s.state == 0 || s.start == "") {
			t.Errorf("%q: got %+v", line, s)
		}
	})
}
