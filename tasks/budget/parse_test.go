package budget

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustParse(t testing.TB, data []byte) *File {
	t.Helper()
	file, err := Parse("budgets.toml", data)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestParse(t *testing.T) {
	file := mustParse(t, readFile(t, "testdata/budgets.toml"))
	want := Platform{
		Go: "go1.26.8", Target: "linux/amd64/v1", Libc: "static", CPU: "avx2",
		Seed: "fixed", Env: []string{"LANG=C"}, Valgrind: "3.27.1",
	}
	if diff := want.Diff(file.Pinned); diff != nil || file.Pinned.Valgrind != "3.27.1" {
		t.Errorf("Pinned: %+v", file.Pinned)
	}
	if len(file.Pins) != 3 || file.Band != "2%" {
		t.Fatalf("%d pins, band %s", len(file.Pins), file.Band)
	}
	small, ok := file.Pin("benches/server.HandleRequest/small")
	if !ok || small.Total() != 400100 || small.Line != 19 || file.BandOf(small) != "0.5%" {
		t.Errorf("small: %+v", small)
	}
	if _, pinned := small.AllocsTotal(); pinned {
		t.Error("small has allocs, but none are pinned")
	}
	deep, _ := file.Pin("benches/server.ResolvePath/deep")
	allocs, pinned := deep.AllocsTotal()
	bytes, _ := deep.BytesTotal()
	if deep.Total() != 333 || allocs != 1 || !pinned || bytes != 16000 || file.BandOf(deep) != "2%" {
		t.Errorf("deep: %+v, allocs %d, bytes %d", deep, allocs, bytes)
	}
}

const header = `[pinned]
go = "go1.26.8"
target = "linux/amd64/v1"
libc = "static"
cpu = "avx2"
seed = "fixed"
[budgets]
`

// Every way to write a pin that TOML has is read the same.
func TestParseForms(t *testing.T) {
	for _, form := range []string{
		`"x" = { ir = 2.5, iters = 4, allocs = 1, band = "1%" }`,
		`'x' = { iters = 4, band = '1%', ir = 2.5, allocs = 1 }`,
		"x = { ir = 2.5,\n iters = 4, # comment\n allocs = 1, band = \"1%\" }",
		"[budgets.\"x\"]\nir = 2.5\niters = 4\nallocs = 1\nband = \"1%\"",
		"\"x\".ir = 2.5\nx.iters = 4\nx.allocs = 1\nx.band = \"1%\"",
		`"\u0078" = { ir = 2.5, iters = 4, allocs = 1.0, band = "1%" }`,
	} {
		pin, ok := mustParse(t, []byte(header+form+"\n")).Pin("x")
		if !ok || pin.Total() != 10 || pin.Iters != 4 || pin.Band != "1%" || pin.allocs != 4 || pin.Line != 8 {
			t.Errorf("%s\nis read as %+v", form, pin)
		}
	}
}

func TestParseProblems(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown key", header + `"x" = { ir = 1, iters = 1, bnad = "1%" }`,
			"b.toml:8: bench \"x\": unknown key \"bnad\"\nhint: the keys are ir, iters, allocs, bytes, band"},
		{"duplicate bench", header + "a = { ir = 1, iters = 1 }\nx = { ir = 1, iters = 1 }\n\"x\" = { ir = 2, iters = 1 }",
			`b.toml:10: bench "x": stands twice, first on line 9`},
		{"duplicate table", header + "x = { ir = 1, iters = 1 }\n[budgets.x]\nir = 2\niters = 1",
			`b.toml:9: bench "x": stands twice, first on line 8`},
		{"duplicate key", header + "[budgets.x]\nir = 2\niters = 1\nir = 3",
			`b.toml:11: bench "x": ir stands twice, first on line 9`},
		{"duplicate pinned", "[pinned]\ngo = \"a\"\ngo = \"b\"", `b.toml:3: pinned.go: stands twice, first on line 2`},
		{"duplicate header", "[gate]\n[gate]", `b.toml:2: [gate] stands twice, first on line 1`},
		{"conflict", header + "<<<<<<< HEAD\nx = { ir = 1, iters = 1 }\n=======\n>>>>>>> other",
			"b.toml:8: conflict marker <<<<<<<: the merge is not resolved\n" +
				"b.toml:10: conflict marker =======: the merge is not resolved\n" +
				"b.toml:11: conflict marker >>>>>>>: the merge is not resolved\nhint: git mergetool b.toml\nb.toml: 3 problems"},
		{"byte order mark", "\ufeff" + header, "b.toml:1: begins with a byte order mark\nhint: sed -i '1s/^\\xEF\\xBB\\xBF//' b.toml"},
		{"negative", header + "x = { ir = -1, iters = -2, allocs = -3, bytes = -0.5 }",
			"b.toml:8: bench \"x\": ir: -1 is negative\nb.toml:8: bench \"x\": iters: -2 is negative\n" +
				"b.toml:8: bench \"x\": allocs: -3 is negative\nb.toml:8: bench \"x\": bytes: -0.5 is negative\nb.toml: 4 problems"},
		{"nan", header + "x = { ir = nan, iters = 1 }", `b.toml:8: bench "x": ir: nan is not a number`},
		{"inf", header + "x = { ir = +inf, iters = 1 }", `b.toml:8: bench "x": ir: +inf is not a number`},
		{"exponent", header + "x = { ir = 1e3, iters = 1 }", `b.toml:8: bench "x": ir: 1e3 is not in plain decimal digits`},
		{"hexadecimal", header + "x = { ir = 0x10, iters = 1 }", `b.toml:8: bench "x": ir: 0x10 is not in plain decimal digits`},
		{"no iters", header + "x = { ir = 1 }", `b.toml:8: bench "x": no iters`},
		{"no ir", header + "x = {}", "b.toml:8: bench \"x\": no ir\nb.toml:8: bench \"x\": no iters\nb.toml: 2 problems"},
		{"iters 0", header + "x = { ir = 1, iters = 0 }", `b.toml:8: bench "x": iters: is 0, want at least 1`},
		{"iters 0 in a table", header + "[budgets.x]\nir = 1\niters = 0", `b.toml:10: bench "x": iters: is 0, want at least 1`},
		{"iters fraction", header + "x = { ir = 1, iters = 1.5 }", `b.toml:8: bench "x": iters: is the number 1.5, want a whole number`},
		{"ir 0", header + "x = { ir = 0, iters = 5 }", `b.toml:8: bench "x": ir: ir × iters is 0, want at least 1`},
		{"ir string", header + "x = { ir = \"1\", iters = 1 }", `b.toml:8: bench "x": ir: is the string "1", want a number`},
		{"ir table", header + "x = { ir = {}, iters = 1 }", `b.toml:8: bench "x": ir: is a table, want a number`},
		{"too large", header + "x = { ir = 9223372036854775807, iters = 2 }", `b.toml:8: bench "x": ir: the total is too large to be a count`},
		{"too many digits", header + "x = { ir = 1" + strings.Repeat("0", 40) + ".5, iters = 2 }",
			`b.toml:8: bench "x": ir: 1` + strings.Repeat("0", 40) + `.5 has more than 40 digits`},
		{"entry is no table", header + "x = 5", `b.toml:8: bench "x": is the integer 5, want { ir = …, iters = … }`},
		{"band", header + "x = { ir = 1, iters = 1, band = \"2\" }", `b.toml:8: bench "x": band: "2" is no percentage, as "2%" or "0.5%" are`},
		{"band number", "[gate]\nband = 2", `b.toml:2: gate.band: is the integer 2, want a string like "2%"`},
		{"band nan", "[gate]\nband = \"NaN%\"", `b.toml:2: gate.band: "NaN%" is no percentage, as "2%" or "0.5%" are`},
		{"band negative", "[gate]\nband = \"-1%\"", `b.toml:2: gate.band: "-1%" is no percentage, as "2%" or "0.5%" are`},
		{"band too wide", "[gate]\nband = \"100.1%\"", `b.toml:2: gate.band: "100.1%" is more than 100%`},
		{"unknown table", "[gat]\nband = \"2%\"", "b.toml:1: unknown table [gat]\nhint: " + tableHint},
		{"unknown top key", "band = \"2%\"", "b.toml:1: unknown key \"band\"\nhint: " + tableHint},
		{"unknown gate key", "[gate]\nbnad = \"2%\"", "b.toml:2: gate: unknown key \"bnad\"\nhint: the only key is band"},
		{"unknown pinned key", "[pinned]\ngoo = \"2%\"", "b.toml:2: pinned: unknown key \"goo\"\nhint: the keys are go, target, libc, cpu, seed, tags, env, valgrind"},
		{"table is a value", "budgets = true", `b.toml:1: budgets: is a boolean, want a table`},
		{"array of tables", "[[budgets]]\nir = 1", `b.toml:1: [[budgets]]: want no array of tables`},
		{"pinned number", "[pinned]\ngo = 1.26", `b.toml:2: pinned.go: is the number 1.26, want a string`},
		{"env", "[pinned]\nenv = [\"A\", 1, \"B=1\", \"B=2\"]",
			"b.toml:2: pinned.env: \"A\" is not NAME=VALUE\nb.toml:2: pinned.env: holds the integer 1, want strings like \"NAME=VALUE\"\n" +
				"b.toml:2: pinned.env: B stands twice\nb.toml: 3 problems"},
		{"nothing pinned", "[budgets]\nx = { ir = 1, iters = 1 }",
			"b.toml:1: pinned: no go, but there are pins\nb.toml:1: pinned: no target, but there are pins\n" +
				"b.toml:1: pinned: no libc, but there are pins\nb.toml:1: pinned: no cpu, but there are pins\n" +
				"b.toml:1: pinned: no seed, but there are pins\nb.toml: 5 problems"},
		{"empty pinned", strings.Replace(header, "fixed", "", 1) + "x = { ir = 1, iters = 1 }",
			`b.toml:6: pinned.seed: is empty, but there are pins`},
		{"empty name", header + `"" = { ir = 1, iters = 1 }`, `b.toml:8: a bench without a name`},
		{"no toml", "[budgets\n", "b.toml:1: "},
		{"cut", header + `"x" = { ir = 1, it`, "b.toml:8: "},
		{"no utf-8", header + "# \xff\n", "b.toml:8: "},
		{"table twice in another form", header + "x = { ir = 1, iters = 1 }\n[pinned.go]\n", "b.toml:9: unknown table [pinned.go]\nhint: " + tableHint},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := Parse("b.toml", []byte(test.text))
			if err == nil || file != nil {
				t.Fatalf("accepted: %+v", file)
			}
			got := err.Error()
			// What the TOML library says is its own; its line is ours.
			if got != test.want && !(strings.HasSuffix(test.want, ": ") && strings.HasPrefix(got, test.want)) {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestTemplateIsReadable(t *testing.T) {
	file := mustParse(t, Template())
	if len(file.Pins) != 0 || file.Band != DefaultBand {
		t.Errorf("%d pins, band %s", len(file.Pins), file.Band)
	}
}

func TestDiff(t *testing.T) {
	pinned := Platform{Go: "go1.26.8", Libc: "static", Env: []string{"B=2", "A=1"}, Valgrind: "3.27.1"}
	here := Platform{Go: "go1.26.9", Libc: "static", Env: []string{"A=1", "B=2"}, Valgrind: "3.19.0", Tags: "x"}
	got := pinned.Diff(here)
	want := []Difference{{"go", "go1.26.8", "go1.26.9"}, {"tags", "", "x"}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDiffOfLibrariesAndCompilers(t *testing.T) {
	static := Platform{Libc: "static", Tags: "x"}
	old := Platform{Libc: "glibc 2.36", Tags: "x cc=gcc-12.2.0"}
	for _, test := range []struct {
		pinned, here Platform
		want         []Difference
	}{
		{static, old, nil},
		{old, static, nil},
		{old, Platform{Libc: "glibc 2.41", Tags: "x cc=gcc-14.2.0"},
			[]Difference{{"libc", "glibc 2.36", "glibc 2.41"}, {"tags", "x cc=gcc-12.2.0", "x cc=gcc-14.2.0"}}},
		{static, Platform{Libc: "static", Tags: "y cc=gcc-12.2.0"}, []Difference{{"tags", "x", "y cc=gcc-12.2.0"}}},
	} {
		if got := test.pinned.Diff(test.here); !slices.Equal(got, test.want) {
			t.Errorf("%v here %v: got %v, want %v", test.pinned, test.here, got, test.want)
		}
	}
}
