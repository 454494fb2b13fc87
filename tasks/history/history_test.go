package history

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/machine"
)

func day(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }

func run(n int, goVersion string, counts ...Count) Entry {
	return Entry{
		Schema: Schema, Date: day(n), Commit: "c0ffee", Machine: machine.Machine{CPU: "A", Processors: 2, Kernel: "Linux 6"},
		Platform: Platform{Go: goVersion, Target: "linux/amd64/v1", Env: []string{"A=1"}}, Benches: counts,
	}
}

func TestEncodeIsRead(t *testing.T) {
	var file []byte
	want := []Entry{
		run(1, "go1.26.8", Count{"a.<b>\n\x00", 3, 9223372036854775807}),
		run(2, "go1.26.8"),
	}
	want[1].Benches = []Count{}
	for _, e := range want {
		line, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(line, []byte("\n")) != 1 {
			t.Errorf("got %q, want one line", line)
		}
		file = append(file, line...)
	}
	got, broken := Read("h", 0, file)
	if broken != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v and %v, want %+v", got, broken, want)
	}
}

// A broken line costs that line alone, and is told with its number.
func TestReadTellsBrokenLines(t *testing.T) {
	good, err := Encode(run(1, "go1.26.8", Count{"a.B", 1, 10}))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		`{"schema":1,"date"`:              "h:2: is no run: unexpected end of JSON input",
		`[]`:                              "h:2: is no run: json: cannot unmarshal array",
		`null`:                            "h:2: is no run: has no schema",
		`{"date":"2026-11-01T12:00:00Z"}`: "h:2: is no run: has no schema",
		`{"schema":7}`:                    "h:2: has schema 7, want 1",
		`{"schema":1}`:                    "h:2: is no run: has no date",
		`{"schema":1,"extra":1}`:          `h:2: is no run: json: unknown field "extra"`,
		`{"schema":1,"date":"2026-11-01T12:00:00Z","benches":[{"bench":"a","iters":0,"total":5}]}`: `h:2: bench "a": 5 instructions in 0 operations`,
	} {
		entries, broken := Read("h", 0, []byte(string(good)+line+"\n\n"+string(good)))
		if len(entries) != 2 || len(broken) != 1 || !strings.HasPrefix(broken[0].Error(), want) {
			t.Errorf("%s: got %d runs and %v, want 2 and %s…", line, len(entries), broken, want)
		}
	}
}

func TestJointMendsHalfALine(t *testing.T) {
	for data, want := range map[string]string{"": "", "x\n": "", "x": "\n"} {
		if got := Joint([]byte(data)); got != want {
			t.Errorf("%q: got %q, want %q", data, got, want)
		}
	}
}

func pins(t *testing.T, n int, text string) Revision {
	t.Helper()
	file, err := budget.Parse("budgets.toml", []byte(`[pinned]
go = "go1.26.8"
target = "linux/amd64/v1"
libc = "static"
cpu = "avx2"
seed = "fixed"
[budgets]
`+text))
	if err != nil {
		t.Fatal(err)
	}
	return Revision{Date: day(n), Commit: "p", File: file}
}

func TestJoin(t *testing.T) {
	platform := budget.Platform{Go: "go1.26.8", Target: "linux/amd64/v1", Libc: "static", CPU: "avx2", Seed: "fixed"}
	other := run(2, "go1.25.0", Count{"a.B", 1, 99})
	counted := run(5, "", Count{"a.B", 1, 12})
	counted.Platform = Platform(platform)
	// Another valgrind is the same platform.
	counted.Platform.Valgrind = "3.99"
	s := Join([]Entry{counted, other}, []Revision{
		pins(t, 4, `"a.B" = { ir = 11, iters = 1 }`), // newest first, as git tells them
		pins(t, 3, `"a.B" = { ir = 10, iters = 1 }
"a.C" = { ir = 2.5, iters = 2 }`),
		pins(t, 1, `"a.B" = { ir = 10, iters = 1 }`),
	}, platform)
	want := map[string][]Point{
		"a.B": {
			{Date: day(1), Commit: "p", Iters: 1, Total: 10, Pin: true},
			{Date: day(4), Commit: "p", Iters: 1, Total: 11, Pin: true},
			{Date: day(5), Commit: "c0ffee", Iters: 1, Total: 12},
		},
		"a.C": {{Date: day(3), Commit: "p", Iters: 2, Total: 5, Pin: true}},
	}
	if !reflect.DeepEqual(s.Benches, want) || s.OtherRuns != 1 || s.OtherRevisions != 0 {
		t.Errorf("got %+v, want %+v", s, want)
	}
}

// FuzzRead: nothing panics, each line that is not blank is a run or told, and a run
// that was read is written and read again as it was.
func FuzzRead(f *testing.F) {
	line, err := Encode(run(1, "go1.26.8", Count{"a.B", 1, 10}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte("{}\n\n" + string(line) + "half"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, broken := Read("h", 0, data)
		lines := 0
		for line := range bytes.Lines(data) {
			if len(bytes.TrimSpace(line)) > 0 {
				lines++
			}
		}
		if len(entries)+len(broken) != lines {
			t.Errorf("got %d runs and %d broken lines of %d", len(entries), len(broken), lines)
		}
		for _, e := range entries {
			line, err := Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			again, broken := Read("h", 0, line)
			if broken != nil || len(again) != 1 || len(again[0].Benches) != len(e.Benches) {
				t.Errorf("%s: got %+v and %v", line, again, broken)
			}
		}
	})
}
