package report

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/gate"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with testdata/name, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

var here = budget.Platform{Go: "go1.26.8", Target: "linux/amd64/v1", Libc: "static", CPU: "avx2", Seed: "fixed", Valgrind: "3.27.1"}

const pins = `[pinned]
go = "go1.26.8"
target = "linux/amd64/v1"
libc = "static"
cpu = "avx2"
seed = "fixed"
[gate]
band = "2%"
[budgets]
"benches/rpc.HandleLine/ping" = { ir = 2000.5, iters = 200, band = "0.5%" }
"benches/server.HandleRequest/large" = { ir = 1204332, iters = 10, allocs = 3, bytes = 4096 }
"benches/server.HandleRequest/small" = { ir = 1000, iters = 100, allocs = 0, bytes = 0 }
"benches/server.ResolvePath/deep" = { ir = 333, iters = 100, allocs = 0, bytes = 0 }
"benches/server.ResolvePath/gone" = { ir = 1, iters = 1000 }
"benches/server.ResolvePath/shaky" = { ir = 100, iters = 100 }
"benches/server.ResolvePath/tiny" = { ir = 1000000, iters = 100, band = "0%" }
`

func settled(bench string, iters, total, allocs, bytes int64) count.Count {
	return count.Count{
		Bench: bench, Iters: iters, Total: total, Allocs: allocs, Bytes: bytes,
		Runs: []int64{total}, Settled: true, Libc: "static", Profile: "target/perf/profiles/x.out",
	}
}

// judge returns one verdict of each kind that one platform can have, and more.
func judge(t *testing.T, platform budget.Platform) []gate.Verdict {
	t.Helper()
	file, err := budget.Parse("budgets.toml", []byte(pins))
	if err != nil {
		t.Fatal(err)
	}
	counts := []count.Count{
		settled("benches/rpc.HandleLine/ping", 200, 400100, 0, 0),
		settled("benches/server.HandleRequest/large", 10, 12543320, 31, 40960),
		settled("benches/server.HandleRequest/small", 100, 90000, 0, 0),
		settled("benches/server.ResolvePath/deep", 100, 33301, 0, 0),
		settled("benches/server.ResolvePath/new", 3, 1000, 1, 16),
		settled("benches/server.ResolvePath/tiny", 100, 100000001, 0, 0),
		{Bench: "benches/server.ResolvePath/shaky", Iters: 100, Total: 10000, Runs: []int64{10000, 10100, 10000}},
		{Bench: "benches/server.Panics", Err: errors.New("panicked\n\tpanic: runtime error: index out of range\nhint: go test -bench='^BenchmarkPanics$' ./benches/server")},
	}
	return gate.Judge(counts, file, platform, gate.Options{})
}

// hostile returns verdicts whose texts try to break the output.
func hostile(t *testing.T) []gate.Verdict {
	t.Helper()
	file, err := budget.Parse("budgets.toml", budget.Template())
	if err != nil {
		t.Fatal(err)
	}
	counts := []count.Count{
		settled("a.Red/\x1b[31mred\x1b[0m\r\n\a", 1, 10, 0, 0),
		settled("a.HTML/<script>alert(1)</script>&amp;", 1, 20, 0, 0),
		settled("a.Wide/漢字かな交じり文", 1, 30, 0, 0),
		settled("a.Combining/e\u0301\u0301x👩‍👩‍👧", 1, 40, 0, 0),
		settled("a.Bidi/\u202egnp.exe", 1, 50, 0, 0),
		settled("a.Invalid/\xff\xfe", 1, 60, 0, 0),
		settled("a.Quote/it's_$HOME_`id`", 1, 70, 0, 0),
		settled("a.Huge", 1, math.MaxInt64, math.MaxInt64, math.MaxInt64),
		settled("a.Long/"+strings.Repeat("x", 300)+"/end", 3, 100, 0, 0),
		{Bench: "a.Failed\x1b]0;title\a", Err: errors.New("output:\n\x1b[2Jcleared\nend")},
	}
	return gate.Judge(counts, file, here, gate.Options{})
}

func TestTerminal(t *testing.T) {
	other := here
	other.Go, other.Seed = "go1.27.0", "random"
	tests := []struct {
		golden   string
		verdicts []gate.Verdict
		opts     TerminalOptions
	}{
		{"terminal.golden", judge(t, here), TerminalOptions{}},
		{"terminal_color.golden", judge(t, here), TerminalOptions{Color: true}},
		{"terminal_narrow.golden", judge(t, here), TerminalOptions{Width: 110}},
		{"terminal_platform.golden", judge(t, other), TerminalOptions{}},
		{"terminal_empty.golden", nil, TerminalOptions{}},
		{"terminal_one.golden", judge(t, here)[:1], TerminalOptions{}},
		{"terminal_hostile.golden", hostile(t), TerminalOptions{Width: 120}},
	}
	for _, test := range tests {
		t.Run(test.golden, func(t *testing.T) {
			var out bytes.Buffer
			if err := Terminal(&out, test.verdicts, test.opts); err != nil {
				t.Fatal(err)
			}
			golden(t, test.golden, out.Bytes())
			if !test.opts.Color && bytes.ContainsAny(out.Bytes(), "\x1b\a\r") {
				t.Error("control characters reach the terminal")
			}
		})
	}
}

// NO_COLOR is for whoever chooses the options; here only they count.
func TestTerminalIgnoresEnvironment(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	var out bytes.Buffer
	if err := Terminal(&out, judge(t, here), TerminalOptions{Color: true}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out.Bytes(), []byte("\x1b[32m")) {
		t.Error("no colour although asked for")
	}
}

func TestShorten(t *testing.T) {
	tests := []struct {
		text  string
		width int
		want  string
	}{
		{"short", 5, "short"},
		{"abcdefghij", 5, "ab…ij"},
		{"abcdefghij", 6, "ab…hij"},
		{"漢字漢字", 5, "漢…字"},
		{"漢字漢字", 4, "…字"},
		{"abc", 1, "…"},
	}
	for _, test := range tests {
		if got := shorten(test.text, test.width); got != test.want {
			t.Errorf("shorten(%q, %d) is %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestPercent(t *testing.T) {
	tests := []struct {
		part, whole int64
		want        string
	}{
		{0, 5, "0%"},
		{1, 100, "+1.00%"},
		{-1, 3, "-33.33%"},
		{1, 1_000_000_000, "+<0.01%"},
		{-1, math.MaxInt64, "-<0.01%"},
		{math.MaxInt64, 1, "+922337203685477580700.00%"},
	}
	for _, test := range tests {
		if got := percent(test.part, test.whole); got != test.want {
			t.Errorf("percent(%d, %d) is %s, want %s", test.part, test.whole, got, test.want)
		}
	}
}

func TestBenchFormat(t *testing.T) {
	host := Host{GOOS: "linux", GOARCH: "amd64", Module: "example.com/m"}
	var out bytes.Buffer
	if err := BenchFormat(&out, judge(t, here), host); err != nil {
		t.Fatal(err)
	}
	golden(t, "results.golden.txt", out.Bytes())

	reader := benchfmt.NewReader(&out, "results.txt")
	var names []string
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Errorf("benchfmt: %v", record)
		case *benchfmt.Result:
			names = append(names, record.GetConfig("pkg")+" "+record.Name.String())
			if ir, ok := record.Value("instructions/op"); !ok || ir <= 0 {
				t.Errorf("%s: instructions/op is %v, %v", record.Name, ir, ok)
			}
			if record.GetConfig("goos") != "linux" || record.GetConfig("goarch") != "amd64" {
				t.Errorf("%s: configuration %v", record.Name, record.Config)
			}
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	// Six settled benches and the three runs of the one that varies.
	if len(names) != 9 || names[0] != "example.com/m/benches/rpc HandleLine/ping" {
		t.Errorf("benchfmt reads %d results: %q", len(names), names)
	}
	for unit, metadata := range reader.Units() {
		if unit.Key == "assume" && metadata.Value != "exact" {
			t.Errorf("%v is assumed %s", unit, metadata.Value)
		}
	}
}

func TestBenchFormatOfHostileNames(t *testing.T) {
	var out bytes.Buffer
	if err := BenchFormat(&out, hostile(t), Host{GOOS: "linux", GOARCH: "amd64", Module: "m"}); err != nil {
		t.Fatal(err)
	}
	reader := benchfmt.NewReader(&out, "results.txt")
	results := 0
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Errorf("benchfmt: %v", record)
		case *benchfmt.Result:
			results++
		}
	}
	if results != 9 || reader.Err() != nil {
		t.Errorf("benchfmt reads %d results, %v, want 9", results, reader.Err())
	}
}
