package wallclock

import (
	"strings"
	"testing"
)

func TestReadHyperfine(t *testing.T) {
	got, err := ReadHyperfine("h.json", []byte(`{"results": [{"command": "a <b>", "mean": 0.002, "stddev": null, "median": 0.002,
		"user": 0.001, "system": 0.0005, "min": 0.002, "max": 0.002, "times": [0.002], "exit_codes": [0], "later": {}}]}`))
	if err != nil || len(got) != 1 || got[0].Command != "a <b>" || got[0].Stddev != nil || got[0].System != 0.0005 {
		t.Errorf("got %+v and %v", got, err)
	}
}

func TestReadHyperfineRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                                "h.json: is no export of hyperfine: ",
		`{"results": [`:                   "h.json: is no export of hyperfine: ",
		`{}`:                              "h.json: is no export of hyperfine: has no results",
		`{"results": [{"command": "a"}]}`: `h.json: result 1, "a": has no times`,
		`{"results": [{"times": [1], "min": 2}]}`: `h.json: result 1, "": least 2 s, median 0 s, most 0 s`,
	} {
		if _, err := ReadHyperfine("h.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s…", text, err, want)
		}
	}
}

// FuzzReadHyperfine: nothing panics, and what is read has its times in order.
func FuzzReadHyperfine(f *testing.F) {
	f.Add([]byte(`{"results": [{"command": "a", "min": 1, "median": 2, "max": 3, "times": [1, 2, 3]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		timings, err := ReadHyperfine("h.json", data)
		if err != nil {
			return
		}
		for _, timing := range timings {
			if timing.Min > timing.Median || timing.Median > timing.Max || len(timing.Times) == 0 {
				t.Errorf("got %+v", timing)
			}
		}
	})
}

func TestSummaries(t *testing.T) {
	set, err := Read("now", []byte("pkg: m/p\nBenchmarkA-2 10 30 ns/op\nBenchmarkB-2 10 1 widgets/op\nBenchmarkA-2 10 10 ns/op\nBenchmarkA-2 10 20 ns/op\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := set.Summaries()
	if len(got) != 1 || got[0].Bench != "m/p.BenchmarkA-2" || got[0].Runs != 3 || !near(got[0].Median, 20e-9) ||
		!near(got[0].Least, 10e-9) || !near(got[0].Most, 30e-9) || !near(got[0].Mean, 20e-9) {
		t.Errorf("got %+v, want A alone, three runs of 10 to 30 ns", got)
	}
}

func near(a, b float64) bool { return a > b*0.999999 && a < b*1.000001 }
