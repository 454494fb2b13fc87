package throughput

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func readFixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// wantError compares an error's text with a part of it; "" wants none.
func wantError(t *testing.T, what string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", what, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: got error %v, want %q", what, err, want)
	}
}

func TestParseDuration(t *testing.T) {
	for text, test := range map[string]struct {
		want time.Duration
		err  string
	}{
		"3000.7 ms": {3000700 * time.Microsecond, ""},
		"3.00s":     {3 * time.Second, ""},
		"338.20us":  {338200, ""},
		"1.5µs":     {1500, ""},
		"7ns":       {7, ""},
		"2 m":       {2 * time.Minute, ""},
		"1h":        {time.Hour, ""},
		"3000.7":    {0, `unknown unit ""`},
		"3 parsec":  {0, `unknown unit "parsec"`},
		"ms":        {0, "does not begin with a number"},
		"-1s":       {0, "does not begin with a number"},
		"1.2.3s":    {0, "does not begin with a number"},
		"":          {0, "does not begin with a number"},
		"9e18h":     {0, `unknown unit "e18h"`},
		"99999999h": {0, "out of range"},
	} {
		got, err := parseDuration(text)
		wantError(t, text, err, test.err)
		if got != test.want {
			t.Errorf("%q: got %v, want %v", text, got, test.want)
		}
	}
}

func FuzzParseDuration(f *testing.F) {
	f.Add("3000.7 ms")
	f.Add("1h")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parseDuration(text)
		if err != nil {
			return
		}
		again, err := parseDuration(fmt.Sprintf("%d ns", d))
		// float64 holds whole numbers up to 2^53.
		if err != nil || d < 0 || (d < 1<<53 && again != d) {
			t.Errorf("%q: %v, then %v, %v", text, d, again, err)
		}
	})
}

func TestParseBytes(t *testing.T) {
	for text, test := range map[string]struct {
		want int64
		err  string
	}{
		"10240 kB":   {10 << 20, ""},
		"1.5MiB":     {3 << 19, ""},
		"198.42MB":   {208058450, ""},
		"7 B":        {7, ""},
		"2GB":        {2 << 30, ""},
		"12":         {0, `unknown unit ""`},
		"12 s":       {0, `unknown unit "s"`},
		"12 iB":      {0, `unknown unit "iB"`},
		"12 KMB":     {0, `unknown unit "KMB"`},
		"B":          {0, "does not begin with a number"},
		"99999999TB": {0, "out of range"},
	} {
		got, err := parseBytes(text)
		wantError(t, text, err, test.err)
		if got != test.want {
			t.Errorf("%q: got %d, want %d", text, got, test.want)
		}
	}
}

func FuzzParseBytes(f *testing.F) {
	f.Add("10240 kB")
	f.Add("1.5MiB")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parseBytes(text)
		if err != nil {
			return
		}
		again, err := parseBytes(strconv.FormatInt(n, 10) + "B")
		if err != nil || n < 0 || (n < 1<<53 && again != n) {
			t.Errorf("%q: %d, then %d, %v", text, n, again, err)
		}
	})
}

func TestParseOha(t *testing.T) {
	for name, test := range map[string]struct {
		requests, cut, bytes int64
		duration, p99        time.Duration
	}{
		"oha-1.4.5.json":              {4210, 10, 4311040, 1001187400, 1278369},
		"oha-1.15.0.json":             {5134, 10, 5257216, 1001187400, 1278369},
		"oha_named_milliseconds.json": {5134, 10, 5257216, 1001187400, 1278000},
		// Nothing in it says so: only a clock can tell.
		"oha_milliseconds.json": {5134, 10, 5257216, 1001187400000, 1278369},
	} {
		o, err := parseOha(readFixture(t, name))
		wantError(t, name, err, "")
		if o.requests() != test.requests || o.cut != test.cut || o.bytes != test.bytes || len(o.errors) != 0 {
			t.Errorf("%s: got %+v", name, o)
		}
		if o.duration != test.duration || o.percentiles[99] != test.p99 || len(o.percentiles) != 9 {
			t.Errorf("%s: got duration %v, percentiles %v", name, o.duration, o.percentiles)
		}
	}
	o, err := parseOha(readFixture(t, "oha_errors.json"))
	wantError(t, "oha_errors.json", err, "")
	if !maps.Equal(o.statuses, map[int]int64{200: 5117, 404: 17}) ||
		!maps.Equal(o.errors, map[string]int64{"connection closed before message completed": 3}) {
		t.Errorf("got %+v", o)
	}
}

func TestParseOhaRefuses(t *testing.T) {
	const whole = `{"summary": {"total": 1, "totalData": 0}, "statusCodeDistribution": {}, "errorDistribution": {}}`
	for _, test := range []struct{ old, new, want string }{
		{whole, "", `oha: printed no JSON: ""`},
		{whole, "error: connect", `oha: printed no JSON: "error: connect"`},
		{`"total": 1`, `"total": null`, `summary.total: got "null", want a duration`},
		{`"total": 1`, `"total": -1`, `summary.total: duration of -1e+09 ns: out of range`},
		{`"total": 1`, `"total": "1"`, `summary.total: duration "1": unknown unit ""`},
		{`"totalData": 0`, `"totalData": 0.5`, `summary.totalData: got "0.5", want a whole number`},
		{`"statusCodeDistribution"`, `"codes"`, `statusCodeDistribution: got "", want an object`},
		{`"errorDistribution": {}`, `"errorDistribution": []`, `errorDistribution: got "[]", want an object`},
		{`"statusCodeDistribution": {}`, `"statusCodeDistribution": {"2xx": 1}`, `invalid syntax`},
		{`"statusCodeDistribution": {}`, `"statusCodeDistribution": {"20000": 1}`, `status 20000: out of range`},
		{`"statusCodeDistribution": {}`, `"statusCodeDistribution": {"200": -1}`, `statusCodeDistribution.200: got "-1"`},
		{`"errorDistribution": {}`, `"errorDistribution": {}, "latencyPercentiles": {"x": 1}`, `unknown percentile "x"`},
	} {
		_, err := parseOha([]byte(strings.Replace(whole, test.old, test.new, 1)))
		wantError(t, test.new, err, test.want)
	}
	_, err := parseOha([]byte(whole))
	wantError(t, whole, err, "")
}

func FuzzParseOha(f *testing.F) {
	for _, name := range []string{"oha-1.4.5.json", "oha-1.15.0.json", "oha_errors.json", "oha_named_milliseconds.json"} {
		f.Add(readFixture(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := parseOha(data)
		if err != nil {
			return
		}
		if !json.Valid(data) || o.duration < 0 || o.bytes < 0 || o.requests() < 0 || o.cut < 0 {
			t.Errorf("got %+v", o)
		}
	})
}

func TestParseWrk(t *testing.T) {
	good := readFixture(t, "wrk.txt")
	o, err := parseWrk(good)
	wantError(t, "wrk.txt", err, "")
	if o.requests() != 160047 || o.bytes != 208061100 || o.duration != 1099904*time.Microsecond ||
		o.percentiles[50] != 301*time.Microsecond || o.percentiles[99.9] != 2304*time.Microsecond {
		t.Errorf("got %+v", o)
	}
	o, err = parseWrk(bytes.Replace(good, []byte(`"read": 0`), []byte(`"read": 4`), 1))
	if err != nil || o.errors["read error"] != 4 {
		t.Errorf("got %+v, %v", o, err)
	}
	o, err = parseWrk(bytes.Replace(good, []byte(`"status": 0`), []byte(`"status": 47`), 1))
	if err != nil || o.errors["answer with a status above 399"] != 47 || o.requests() != 160000 {
		t.Errorf("got %+v, %v", o, err)
	}
	for _, test := range []struct{ old, new, want string }{
		{"perfpin-json", "", "wrk: printed no result"},
		{"}}\n", "", "wrk: printed no result"},
		{"}}\n", "}}", "wrk: printed no result"},
		{`"requests": 160047`, `"requests": nan`, "wrk: printed no result"},
		{`"requests": 160047`, `"requests": 1e99`, `requests: got "1e99", want a whole number`},
		{`"p99":`, `"p98":`, `latency_us.p99: got "", want a whole number`},
	} {
		_, err := parseWrk(bytes.Replace(good, []byte(test.old), []byte(test.new), 1))
		wantError(t, test.new, err, test.want)
	}
}

func FuzzParseWrk(f *testing.F) {
	f.Add(readFixture(f, "wrk.txt"))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := parseWrk(data)
		if err == nil && (o.duration < 0 || o.bytes < 0 || !bytes.Contains(data, []byte("\nperfpin-json "))) {
			t.Errorf("got %+v", o)
		}
	})
}

func TestHasOutputFormat(t *testing.T) {
	for version, test := range map[string]struct {
		modern bool
		err    string
	}{
		"oha 1.4.5":  {false, ""},
		"oha 1.8.0":  {false, ""},
		"oha 1.9.0":  {true, ""},
		"oha 1.15.0": {true, ""},
		"oha 2.0.1":  {true, ""},
		"oha 0.6.5":  {false, ""},
		"oha one":    {false, `got "oha one"`},
		"ohai 1.2.3": {false, `got "ohai 1.2.3"`},
	} {
		modern, err := hasOutputFormat(version)
		wantError(t, version, err, test.err)
		if modern != test.modern {
			t.Errorf("%s: got %v", version, modern)
		}
	}
}

func TestParseStat(t *testing.T) {
	const line = "71 (a (b) c) S 42 71 71 0 -1 4194560 1 0 0 0 1250 33 0 0 20 0 4 0 18063 1 1\n"
	got, err := parseStat([]byte(line))
	want := procStat{parent: 42, cpu: 12830 * time.Millisecond}
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	got, err = parseStat([]byte(strings.Replace(line, ") S", ") Z", 1)))
	if err != nil || !got.dead {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"", "71 (a", "71 (a) S 42", strings.Replace(line, "1250", "x", 1)} {
		if _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("71 (a (b) c) S 42 71 71 0 -1 4194560 1 0 0 0 1250 33 0 0 20 0 4 0 18063 1 1\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if s, err := parseStat(line); err == nil && s.cpu < 0 {
			t.Errorf("got %+v", s)
		}
	})
}

func TestParseProcessors(t *testing.T) {
	got, err := parseProcessors([]byte("cpu  9 9 9 9 9 9 9 9\ncpu0 1 2 3 100 7 6 7 8 9 10\ncpu11 1 2 3 50 0 6 7 0\nintr 5\n\n"))
	want := map[int]processorTime{0: {1070 * time.Millisecond, 80 * time.Millisecond}, 11: {500 * time.Millisecond, 0}}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"intr 5\n":                "has no line for a processor",
		"cpu0 1 2 3 4 5 6 7\n":    "want cpuN and at least eight numbers",
		"cpux 1 2 3 4 5 6 7 8\n":  "want cpuN and at least eight numbers",
		"cpu0 1 2 3 4 x 6 7 8\n":  "invalid syntax",
		"cpu0 1 2 3 4 5 6 7 -8\n": "invalid syntax",
	} {
		_, err := parseProcessors([]byte(text))
		wantError(t, text, err, want)
	}
}

func FuzzParseProcessors(f *testing.F) {
	f.Add([]byte("cpu  9 9 9 9 9 9 9\ncpu0 1 2 3 100 7 6 7 8 9 10\nintr 5\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		times, err := parseProcessors(data)
		for cpu, spent := range times {
			if err != nil || spent.idle < 0 || spent.stolen < 0 {
				t.Errorf("processor %d: %v, %v", cpu, spent, err)
			}
		}
	})
}

func TestParseCPUList(t *testing.T) {
	for text, want := range map[string][]int{
		"0":       {0},
		"0-1":     {0, 1},
		"0-2,8":   {0, 1, 2, 8},
		"3,64-65": {3, 64, 65},
		"":        nil, "a": nil, "1-": nil, "2-1": nil, "0-65535,0-65535": nil, "1,,2": nil,
	} {
		got, err := parseCPUList(text)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func FuzzParseCPUList(f *testing.F) {
	f.Add("0-3,8")
	f.Fuzz(func(t *testing.T, text string) {
		cpus, err := parseCPUList(text)
		if err != nil {
			return
		}
		var parts []string
		for _, cpu := range cpus {
			parts = append(parts, strconv.Itoa(cpu))
		}
		again, err := parseCPUList(strings.Join(parts, ","))
		if err != nil || !slices.Equal(again, cpus) {
			t.Errorf("%q: %v, then %v, %v", text, cpus, again, err)
		}
	})
}

func TestParseThrottled(t *testing.T) {
	for text, test := range map[string]struct {
		want int64
		err  string
	}{
		"nr_periods 9\nnr_throttled 7\nthrottled_time 5\n":          {7, ""},
		"usage_usec 1\nnr_periods 9\nnr_throttled 0\nnr_bursts 0\n": {0, ""},
		"nr_periods 9\n":                     {0, "has no nr_throttled"},
		"nr_throttled x\n":                   {0, "invalid syntax"},
		"nr_throttled 9223372036854775808\n": {0, "out of range"},
	} {
		got, err := parseThrottled(text)
		wantError(t, text, err, test.err)
		if err == nil && got != test.want {
			t.Errorf("%q: got %d, want %d", text, got, test.want)
		}
	}
}

func FuzzParseThrottled(f *testing.F) {
	f.Add("nr_periods 9\nnr_throttled 7\nthrottled_time 5\n")
	f.Fuzz(func(t *testing.T, stat string) {
		n, err := parseThrottled(stat)
		if err == nil && (n < 0 || !strings.Contains(stat, "nr_throttled ")) {
			t.Errorf("%q: got %d", stat, n)
		}
	})
}
