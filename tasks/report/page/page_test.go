package page

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/perfpin/perfpin/tasks/gate"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func html(t testing.TB, r Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := r.HTML(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Two hundred benches with flame graphs make a page that still loads at once: what
// does not fit of the flame graphs is left to links.
func TestPageIsSmall(t *testing.T) {
	text := html(t, sample(t, 200, 200))
	t.Logf("200 benches, 200 entries each: %d bytes", len(text))
	if len(text) >= 500_000 {
		t.Errorf("got %d bytes, want less than 500,000", len(text))
	}
	if n := strings.Count(text, `href="../perf/pprof/`); n != 200 {
		t.Errorf("got %d links to flame graphs, want 200", n)
	}
	packed := regexp.MustCompile(`(?s)id="flames">(.*?)</script>`).FindStringSubmatch(text)
	var flames map[string]string
	if packed == nil || json.Unmarshal([]byte(packed[1]), &flames) != nil || len(flames) == 0 || len(flames) == 200 {
		t.Fatalf("got %d flame graphs in the page, want as many as fit", len(flames))
	}
	// What regressed is there before what is within its budget.
	if flames["3"] == "" || flames["5"] == "" {
		t.Error("the flame graphs of the benches that moved are not in the page")
	}
}

// Nothing in the page is loaded from elsewhere.
func TestPageNamesNoOtherPlace(t *testing.T) {
	r := sample(t, 20, 5)
	r.Counts.Data.Benches[0].Bench.Bench = "a.B" // whose name has an address in it
	text := html(t, r)
	for _, found := range regexp.MustCompile(`(?i)(src|href|action)="?([^"> ]*)`).FindAllStringSubmatch(text, -1) {
		to := found[2]
		local := strings.HasPrefix(to, "#") || to == "data:," || to == "report.json" || to == "report.md" || strings.HasPrefix(to, "../perf/pprof/")
		if !local {
			t.Errorf("%s", found[0])
		}
	}
}

// Names are text, whatever they hold, in the page and in the Markdown.
func TestNamesAreNoMarkup(t *testing.T) {
	r := sample(t, 1, 2)
	if text := html(t, r); strings.Contains(text, "<script>alert") || strings.Contains(text, "<img") {
		t.Error("the page has the name as markup")
	}
	var out bytes.Buffer
	if err := r.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "<script") || strings.Contains(text, "<img") || strings.Contains(text, "[l](") {
		t.Errorf("the Markdown has the name as markup:\n%s", text)
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "| a.B") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 9 {
			t.Errorf("got %q, want 8 cells", line)
		}
	}
}

func TestMarkdown(t *testing.T) {
	r := sample(t, 6, 3)
	r.Throughput = Section[Throughput]{Problem: "target/throughput/results.json: has schema 7, want 2", Hint: "go tool mage throughput"}
	var out bytes.Buffer
	if err := r.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "report.golden.md")
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("%s: got\n%s\nhint: go test ./tasks/report/page -update", golden, out.String())
	}
}

// The members that the package comment names are there, null or not, also in a report
// of nothing.
func TestJSONMembers(t *testing.T) {
	for _, r := range []Report{{Schema: Schema}, sample(t, 2, 2)} {
		var out bytes.Buffer
		if err := r.JSON(&out); err != nil {
			t.Fatal(err)
		}
		var file map[string]json.RawMessage
		if err := json.Unmarshal(out.Bytes(), &file); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"schema", "module", "written", "commit", "dirty"} {
			if file[name] == nil {
				t.Errorf("no member %q", name)
			}
		}
		for _, name := range []string{"counts", "clock", "throughput", "coverage", "sizes"} {
			var section map[string]json.RawMessage
			if err := json.Unmarshal(file[name], &section); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for _, member := range []string{"measured", "commit", "dirty", "machine", "notes", "data"} {
				if section[member] == nil {
					t.Errorf("%s: no member %q", name, member)
				}
			}
			if string(section["notes"]) == "null" {
				t.Errorf("%s: notes are null", name)
			}
		}
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "new", 0: "new", 59 * time.Second: "new", time.Minute: "1 minute old", 119 * time.Minute: "1 hour old",
		47 * time.Hour: "1 day old", 48 * time.Hour: "2 days old",
	} {
		if got := age(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestFigures(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{seconds(0), "0.00 ns"}, {seconds(2.345e-8), "23.4 ns"}, {seconds(0.0999), "99.9 ms"}, {seconds(123.4), "123 s"},
		{size(1023), "1023 B"}, {size(1024), "1.0 KiB"}, {size(1 << 20), "1.00 MiB"},
		{share(999, 1000), "99.9%"}, {share(9999, 10000), "99.9%"}, {share(1, 1), "100.0%"}, {share(0, 0), "–"},
		{rate(1234567.8), "1,234,568"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// Each kind of verdict has a place in the order and a colour of its own.
func TestEveryVerdictIsKnown(t *testing.T) {
	style, err := assets.ReadFile("assets/page.css")
	if err != nil {
		t.Fatal(err)
	}
	all := append(gate.Kinds(), NotCounted)
	if len(kinds()) != len(all) {
		t.Errorf("got %v, want all of %v", kinds(), all)
	}
	for _, kind := range all {
		if !slices.Contains(kinds(), kind) {
			t.Errorf("%s: has no place", kind)
		}
		if !regexp.MustCompile(regexp.QuoteMeta("."+class(kind)) + "[ ,]").Match(style) {
			t.Errorf("%s: has no colour", kind)
		}
	}
}

// BenchmarkReport is the time of a whole page of 20 benches and 200 runs each.
func BenchmarkReport(b *testing.B) {
	r := sample(b, 20, 200)
	for b.Loop() {
		html(b, r)
	}
}
