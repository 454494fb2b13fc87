package callgrind

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The figures are those that valgrind itself told at the end of the run
// ("I refs"), for each way to write the same costs.
func TestParseFilesOfValgrind(t *testing.T) {
	tests := []struct {
		file   string
		parts  int
		total  int64
		fib    int64 // self cost of main.fib, its recursion included
		events int
	}{
		{"valgrind_3.27.out", 1, 2677, 2562, 1},
		{"valgrind_3.27_idle_thread.out", 1, 0, 0, 1},
		{"valgrind_cache.out", 1, 2677, 2562, 16},
		{"valgrind_combined.out", 4, 2677, 2562, 1},
		{"valgrind_instr.out", 1, 2677, 2562, 1},
		{"valgrind_jumps.out", 1, 2677, 2562, 1},
		{"valgrind_libc.out", 1, 3791, 0, 1},
		{"valgrind_line.out", 1, 267113, 2562, 1},
		{"valgrind_nocomp.out", 1, 2677, 2562, 1},
		{"valgrind_parts.out", 2, 2677, 2562, 1},
		{"valgrind_recs.out", 1, 2677, 2562, 1},
		{"valgrind_thread.out", 1, 2090, 0, 1},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			profile, err := Parse(test.file, read(t, test.file))
			if err != nil {
				t.Fatal(err)
			}
			if got := profile.Total(); got != test.total {
				t.Errorf("Total is %d, want %d", got, test.total)
			}
			if got := len(profile.Parts); got != test.parts {
				t.Errorf("%d parts, want %d", got, test.parts)
			}
			if got := len(profile.Parts[0].Events); got != test.events {
				t.Errorf("%d events, want %d", got, test.events)
			}
			var fib int64
			for _, fn := range profile.Functions() {
				// Recursion levels and callers are part of the name: main.fib'2.
				if name, _, _ := strings.Cut(fn.Name, "'"); name == "main.fib" {
					fib += fn.Self
				}
			}
			if fib != test.fib {
				t.Errorf("main.fib is %d, want %d", fib, test.fib)
			}
		})
	}
}

func TestParseBadFiles(t *testing.T) {
	tests := []struct{ defect, want string }{
		{"after_totals", `:27: unexpected line "fn=(1)" after totals`},
		{"bad_address", `:17: cost line "4096 10 4 1": address "4096": want 0x and hexadecimal digits`},
		{"bad_cost", `:18: cost line "+4 +1 5x": cost "5x": want a decimal number`},
		{"bad_jcnd", `:19: "jcnd=1 +2 * ": want followed/executed`},
		{"bad_line", `:17: `},
		{"bad_positions", `:10: positions: "instr bb line", want line, instr, or instr line`},
		{"call_without_callee", `:19: "calls=2 0x2000 +20 ": no fn= and cfn= before it`},
		{"carriage_returns", `:1: not a callgrind profile`},
		{"cost_after_target", `:20: "calls=2 0x2000 +20 5": unexpected "5" after the target`},
		{"cost_before_fn", `:16: cost line "0x1000 10 4 1" before any fn=`},
		{"empty", `:1: not a callgrind profile: the first line is "", want "# callgrind format"`},
		{"empty_name", `:14: "ob=": no name`},
		{"event_twice", `:11: events: event "Dr" stands twice`},
		{"header_in_body", `:23: unexpected line "events: Ir"`},
		{"header_twice", `:5: second "pid" line in one header`},
		{"huge_name_number", `:14: "ob=(99999999) /src/prog": the number of a name is 99999999`},
		{"ir_not_first", `:11: events: the events are ["Dr" "Ir"], want Ir first`},
		{"jump_with_cost", `:20: `},
		{"negative_cost", `:18: cost line "+4 +1 -5": cost "-5"`},
		{"no_cost", `:18: cost line "+4 +1": cost "": want a decimal number`},
		{"no_creator", `:13: the header ends at "ob=(1) /src/prog" without creator`},
		{"no_events", `:12: the header ends at "ob=(1) /src/prog" without events, summary`},
		{"no_ir", `:11: events: the events are ["Dr" "Dw"], want Ir first`},
		{"no_positions", `:13: the header ends at "ob=(1) /src/prog" without positions`},
		{"no_totals", `:25: truncated: the file ends without totals`},
		{"no_version_again", `:39: the header ends at "ob=(1) /src/prog" without version`},
		{"no_version", `:13: the header ends at "ob=(1) /src/prog" without version`},
		{"not_callgrind", `:1: not a callgrind profile: the first line is "# cachegrind"`},
		{"other_creator", `:3: creator: creator is "cachegrind-3.19.0", want callgrind-3.x`},
		{"overflow", `:18: cost line "+4 +1 9223372036854775808": cost "9223372036854775808": number too large`},
		{"overflow_parts", `:52: the totals of all parts: number too large`},
		{"overflow_sum", `:18: cost line "+4 +1 9223372036854775807": the sum of Ir: number too large`},
		{"position_below_zero", `:18: cost line "+4 -11 5": line "-11": -11 from 10 leaves the range`},
		{"renamed", `:23: "fn=(2) main.other": (2) is "main.leaf" already`},
		{"too_many_costs", `:18: cost line "+4 +1 5 0 0": more costs than the 2 events`},
		{"truncated", `:20: truncated: the last line "calls=2 0" has no newline`},
		{"truncated_call", `:20: "calls=2 0x2000 +20 ": truncated: the file ends before its position line`},
		{"truncated_header", `:9: truncated: the file ends inside a header`},
		{"truncated_totals", `:26: truncated: the last line "totals: 19" has no newline`},
		{"undefined_name", `:23: "fn=(3)": (3) has no name yet`},
		{"unknown_header", `:8: color: unknown header key`},
		{"unknown_line", `:14: unexpected line "objects /src/prog"`},
		{"unknown_spec", `:19: unknown line "rfn=(2) main.leaf"`},
		{"version_2", `:2: version: version is "2", want 1`},
		{"wrong_sum", `:26: totals: Ir is 20, but the self costs of the part add up to 19`},
		{"wrong_sum_other_event", `:26: totals: Dr is 4, but the self costs of the part add up to 3`},
	}
	fixtures, err := filepath.Glob("testdata/bad/*.out")
	if err != nil || len(fixtures) != len(tests) {
		t.Errorf("%d fixtures in testdata/bad (%v), %d tests", len(fixtures), err, len(tests))
	}
	for _, test := range tests {
		t.Run(test.defect, func(t *testing.T) {
			data := read(t, "bad/"+test.defect+".out")
			_, err := Parse("x.out", data)
			if err == nil || !strings.HasPrefix(err.Error(), "x.out"+test.want) {
				t.Errorf("got  %v\nwant x.out%s…", err, test.want)
			}
			_, selfErr := ParseSelf("x.out", data)
			if err != nil && (selfErr == nil || selfErr.Error() != err.Error()) {
				t.Errorf("ParseSelf: %v, want what Parse says: %v", selfErr, err)
			}
		})
	}
}

// A file that is cut anywhere is refused, also between two lines.
func TestParseEveryPrefix(t *testing.T) {
	data := read(t, "good.out")
	for n := range data {
		if _, err := Parse("x.out", data[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are accepted", n, len(data))
		}
	}
}

func TestParseDetail(t *testing.T) {
	profile, err := Parse("good.out", read(t, "good.out"))
	if err != nil {
		t.Fatal(err)
	}
	part := profile.Parts[0]
	if part.Creator != "callgrind-3.19.0" || part.PID != 100 || part.Cmd != "./prog" || part.Number != 1 || part.Summary != 19 {
		t.Errorf("header: %+v", part)
	}
	main, leaf := part.Functions[0], part.Functions[1]
	if main.Name != "main.main" || main.File != "main.go" || main.Object != "/src/prog" || main.Self != 9 {
		t.Errorf("main.main: %+v", main)
	}
	want := Cost{File: 0, Line: 11, Addr: 0x1004, Ir: 5}
	if len(main.Costs) != 2 || main.Costs[1] != want {
		t.Errorf("costs of main.main: %+v, want %+v second", main.Costs, want)
	}
	call := Call{Callee: leaf, Line: 11, Addr: 0x1004, Count: 2, Inclusive: 10}
	if len(main.Calls) != 1 || main.Calls[0] != call {
		t.Errorf("calls of main.main: %+v, want %+v", main.Calls, call)
	}
	if got := profile.Functions(); got[0].Name != "main.leaf" || got[0].Self != 10 {
		t.Errorf("the first of Functions is %+v, want main.leaf with 10", got[0])
	}
	if got := profile.Self("main.main"); got != 9 {
		t.Errorf("Self is %d, want 9", got)
	}
}

// A function can come in two places; what stands between belongs to others.
func TestParseFunctionTwice(t *testing.T) {
	text := strings.Replace(string(read(t, "good.out")), "totals: 19 3", "fn=(1)\n0x1010 12 6\n\ntotals: 25 3", 1)
	profile, err := Parse("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	main, leaf := profile.Parts[0].Functions[0], profile.Parts[0].Functions[1]
	if len(main.Costs) != 3 || main.Costs[2].Ir != 6 || main.Self != 15 || len(main.Calls) != 1 {
		t.Errorf("main.main: %+v", main)
	}
	if len(leaf.Costs) != 1 || leaf.Costs[0].Ir != 10 || len(leaf.Calls) != 0 {
		t.Errorf("main.leaf: %+v", leaf)
	}
}

// cob= and cfi= hold for the next cfn= alone, also where no call follows it
// because it cost nothing.
func TestParsePendingCallee(t *testing.T) {
	text := strings.Replace(string(read(t, "good.out")), "cfn=(2) main.leaf\n",
		"cob=(2) /lib\ncfi=(2) lib.c\ncfn=(3) free\ncfn=(2) main.leaf\n", 1)
	profile, err := Parse("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	callee := profile.Parts[0].Functions[0].Calls[0].Callee
	if callee.Name != "main.leaf" || callee.Object != "/src/prog" || callee.File != "main.go" {
		t.Errorf("the callee is %+v, want main.leaf of /src/prog", callee)
	}
}

// The largest number that a name may have costs no more than a small one: a
// damaged file would take seconds and a gigabyte otherwise.
func TestParseLargeNumbers(t *testing.T) {
	text := strings.NewReplacer("ob=(1)", "ob=(4194303)", "fl=(1)", "fl=(4194302)", "fn=(1)", "fn=(4194301)").
		Replace(string(read(t, "good.out")))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	profile, err := Parse("x", []byte(text))
	runtime.ReadMemStats(&after)
	if err != nil || profile.Self("main.main") != 9 {
		t.Errorf("%v, %+v", err, profile)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 1<<20 {
		t.Errorf("%d bytes are allocated for a file of %d", allocated, len(text))
	}
}

// With --combine-dumps=yes the parts of several threads, each with its header,
// stand in one file. Each numbers its names anew.
func TestParseNumbersAnew(t *testing.T) {
	good := string(read(t, "good.out"))
	profile, err := Parse("x", []byte(good+strings.ReplaceAll(good, "main.leaf", "main.other")))
	if err != nil {
		t.Fatal(err)
	}
	if leaf, other := profile.Self("main.leaf"), profile.Self("main.other"); leaf != 10 || other != 10 || profile.Total() != 38 {
		t.Errorf("main.leaf %d, main.other %d, total %d, want 10, 10, 38", leaf, other, profile.Total())
	}
}

// A call into another object names it with cob=; the next call does not take
// that over.
func TestParseCallees(t *testing.T) {
	profile, err := Parse("x", read(t, "valgrind_libc.out"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"malloc libc.so.6", "_dl_runtime_resolve_xsave ld-linux-x86-64.so.2",
		"__memset_avx2_unaligned_erms libc.so.6", "_dl_runtime_resolve_xsave ld-linux-x86-64.so.2",
		"free libc.so.6", "_dl_runtime_resolve_xsave ld-linux-x86-64.so.2"}
	var got []string
	for _, fn := range profile.Parts[0].Functions {
		for _, call := range fn.Calls {
			if fn.Name == "main" {
				got = append(got, call.Callee.Name+" "+filepath.Base(call.Callee.Object))
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("main calls\n%q\nwant\n%q", got, want)
	}
}

func TestParseSelfAgrees(t *testing.T) {
	data := read(t, "valgrind_line.out")
	full, err := Parse("x", data)
	short, shortErr := ParseSelf("x", data)
	if err := errors.Join(err, shortErr); err != nil {
		t.Fatal(err)
	}
	a, b := full.Functions(), short.Functions()
	if len(a) != len(b) {
		t.Fatalf("%d functions, ParseSelf has %d", len(a), len(b))
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].Self != b[i].Self {
			t.Errorf("%s %d, ParseSelf has %s %d", a[i].Name, a[i].Self, b[i].Name, b[i].Self)
		}
		if b[i].Costs != nil || b[i].Calls != nil {
			t.Errorf("ParseSelf keeps the details of %s", b[i].Name)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	data := read(b, "valgrind_line.out")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("x", data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseSelf(b *testing.B) {
	data := read(b, "valgrind_line.out")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseSelf("x", data); err != nil {
			b.Fatal(err)
		}
	}
}
