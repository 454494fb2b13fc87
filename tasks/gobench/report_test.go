package gobench

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestParseReports(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []Report
		err  string
	}{
		"nothing": {text: ""},
		"two": {
			text: `{"outcome":"skipped","name":"BenchmarkA"}` + "\n" +
				`{"outcome":"counted","name":"BenchmarkB/x_\"y\\z\"","iters":3,"allocs":4,"bytes":5,"pid":6,"regions":7,"resets":8,"expected":9}` + "\n",
			want: []Report{
				{Outcome: "skipped", Name: "BenchmarkA"},
				{Outcome: "counted", Name: `BenchmarkB/x_"y\z"`, Iters: 3, Allocs: 4, Bytes: 5, PID: 6, Regions: 7, Resets: 8, Expected: 9},
			},
		},
		"cut off":           {text: `{"outcome":"listed","name":"Bench`, err: "report 1: "},
		"not by us":         {text: "{\"outcome\":\"listed\",\"name\":\"BenchmarkA\"}\nhello\n", err: `report 2: "hello": `},
		"unknown key":       {text: `{"outcome":"listed","novelty":1}`, err: `unknown field "novelty"`},
		"more than a value": {text: `{"outcome":"listed","name":"BenchmarkA"} {}`, err: "more than one value"},
		"no name":           {text: `{"outcome":"listed"}`, err: "no name"},
		"unknown outcome":   {text: `{"outcome":"perhaps","name":"BenchmarkA"}`, err: `outcome "perhaps"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseReports([]byte(test.text))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("got error %v, want one with %q", err, test.err)
				}
				return
			}
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, test.want)
			}
		})
	}
}

// What was read is the same again after it was written and read once more.
func FuzzParseReports(f *testing.F) {
	f.Add([]byte(`{"outcome":"skipped","name":"BenchmarkA"}` + "\n"))
	f.Add([]byte(`{"outcome":"counted","name":"BenchmarkB","iters":1000,"allocs":1,"bytes":16,"pid":99,"regions":1,"resets":2,"expected":2}` + "\n"))
	f.Add([]byte(`{"outcome":"command","name":"BenchmarkC","package":"example.com/app"}` + "\n" + `{"outcome":"listed","name":"BenchmarkC"}`))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		reports, err := parseReports(text)
		if err != nil {
			return
		}
		var written []byte
		for _, r := range reports {
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			written = append(append(written, line...), '\n')
		}
		again, err := parseReports(written)
		if err != nil || !slices.Equal(again, reports) {
			t.Errorf("got %+v, %v, want %+v", again, err, reports)
		}
	})
}
