package budget

import (
	"fmt"
	"strings"
	"testing"
)

func newPin(t testing.TB, bench string, iters, total int64) Pin {
	t.Helper()
	pin, err := NewPin(bench, iters, total, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	return pin
}

func TestEditKeepsEverythingElse(t *testing.T) {
	before := string(readFile(t, "testdata/budgets.toml"))
	file := mustParse(t, []byte(before))
	pinned := file.Pinned
	pinned.Go, pinned.Env, pinned.Libc = "go1.27.0", []string{"A=\"1\""}, "glibc 2.36"
	got, err := file.Edit(Change{
		Set: []Pin{
			newPin(t, "benches/server.ResolvePath/deep", 1, 7),
			newPin(t, "benches/server.HandleRequest/small", 2, 5),
			newPin(t, "benches/server.HandleRequest/medium", 1, 3),
			newPin(t, "a.First", 1, 1),
			newPin(t, "z.Last \"#\\", 1, 9),
		},
		Remove: []string{"benches/server.HandleRequest/large"},
		Pinned: &pinned,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		`go = "go1.26.8"`, `go = "go1.27.0"`,
		`libc = "static"      `, `libc = "glibc 2.36"  `,
		`["LANG=C"]`, `["A=\"1\""]`,
		"[budgets]\n", "[budgets]\n"+`"a.First" = { ir = 1, iters = 1, allocs = 1, bytes = 2 }`+"\n",
		`"benches/server.HandleRequest/large" = { ir = 1_000, iters = 100, allocs = 0, bytes = 0 }   # keep me`+"\n",
		`"benches/server.HandleRequest/medium" = { ir = 3, iters = 1, allocs = 1, bytes = 2 }`+"\n",
		`{ir=2000.5,iters=200,band="0.5%"}`, `{ ir = 2.5, iters = 2, allocs = 0.5, bytes = 1, band = "0.5%" }`,
		`{ ir = 0.333, iters = 1000, allocs = 0.001, bytes = 16 }`+"\n", `{ ir = 7, iters = 1, allocs = 1, bytes = 2 }`+"\n"+
			`"z.Last \"#\\" = { ir = 9, iters = 1, allocs = 1, bytes = 2 }`+"\n",
	).Replace(before)
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEditNothing(t *testing.T) {
	before := readFile(t, "testdata/budgets.toml")
	file := mustParse(t, before)
	var same []Pin
	for _, pin := range file.Pins {
		same = append(same, *pin)
	}
	for _, change := range []Change{{}, {Set: same}, {Pinned: &file.Pinned}} {
		if got, err := file.Edit(change); err != nil || string(got) != string(before) {
			t.Errorf("%+v: %v\n%s", change, err, got)
		}
	}
}

func TestEditForms(t *testing.T) {
	pinned := "[pinned]\ngo = \"g\"\ntarget = \"t\"\nlibc = \"l\"\ncpu = \"c\"\nseed = \"s\"\ntags = \"\"\nvalgrind = \"\"\n"
	platform := Platform{Go: "g", Target: "t", Libc: "l", CPU: "c", Seed: "s"}
	line := "\"b\" = { ir = 4, iters = 1, allocs = 1, bytes = 2 }"
	tests := []struct{ name, before, want string }{
		{"empty file", "", "[budgets]\n" + line + "\n\n" + pinned},
		{"comment only", "# x\n", "# x\n\n[budgets]\n" + line + "\n\n" + pinned},
		{"no newline at the end", "[budgets]", "[budgets]\n" + line + "\n\n" + pinned},
		{"headers", "[pinned]\n\n[budgets]\n", strings.Replace(pinned, "\ntags = \"\"\nvalgrind = \"\"", "", 1) + "\n[budgets]\n" + line + "\n"},
		{"carriage returns", strings.ReplaceAll(pinned+"[budgets]\na = {ir=1,iters=1}\nc = {ir=1,iters=1}\n", "\n", "\r\n"),
			strings.ReplaceAll(pinned+"[budgets]\na = {ir=1,iters=1}\n"+line+"\nc = {ir=1,iters=1}\n", "\n", "\r\n")},
		{"last line without newline", pinned + "[budgets]\na = {ir=1,iters=1}", pinned + "[budgets]\na = {ir=1,iters=1}\n" + line + "\n"},
		{"budgets first", "[budgets]\n\n" + pinned, "[budgets]\n" + line + "\n\n" + pinned},
		{"comment above the first", pinned + "[budgets]\n# about c\nc = {ir=1,iters=1}\n", pinned + "[budgets]\n" + line + "\n# about c\nc = {ir=1,iters=1}\n"},
		{"tables beside", pinned + "[budgets.a]\nir=1\niters=1\n", pinned + "[budgets.a]\nir=1\niters=1\n\n[budgets]\n" + line + "\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := mustParse(t, []byte(test.before))
			got, err := file.Edit(Change{Set: []Pin{newPin(t, "b", 1, 4)}, Pinned: &platform})
			if test.name == "empty file" || test.name == "comment only" || test.name == "no newline at the end" {
				// tags and valgrind are empty and stay unwritten.
				test.want = strings.Replace(test.want, "tags = \"\"\nvalgrind = \"\"\n", "", 1)
			}
			if err != nil || string(got) != test.want {
				t.Errorf("%v, got\n%s\nwant\n%s", err, got, test.want)
			}
		})
	}
}

func TestEditRefuses(t *testing.T) {
	unsafe := "cannot be changed by line: it is not one line under [budgets]\nhint: write it as \"x\" = { ir = 2.5, iters = 4"
	tests := []struct {
		name, text string
		change     Change
		want       string
	}{
		{"table", "[budgets.x]\nir = 2.5\niters = 4", Change{Set: []Pin{newPin(t, "x", 1, 1)}}, "b.toml:8: bench \"x\": " + unsafe},
		{"remove table", "[budgets.x]\nir = 2.5\niters = 4", Change{Remove: []string{"x"}}, unsafe},
		{"lines", "x = { ir = 2.5,\niters = 4 }", Change{Set: []Pin{newPin(t, "x", 1, 1)}}, unsafe},
		{"dotted", "x.ir = 2.5\nx.iters = 4", Change{Remove: []string{"x"}}, unsafe},
		{"absent", "x = { ir = 2.5, iters = 4 }", Change{Remove: []string{"y"}}, `b.toml: bench "y": cannot be removed: it has no pin`},
		{"twice", "x = { ir = 2.5, iters = 4 }", Change{Remove: []string{"x"}, Set: []Pin{newPin(t, "x", 1, 1)}}, `b.toml: bench "x": is named twice in one change`},
		{"no name", "x = { ir = 2.5, iters = 4 }", Change{Set: []Pin{newPin(t, "", 1, 1)}}, "cannot be a key"},
		{"no utf-8", "x = { ir = 2.5, iters = 4 }", Change{Set: []Pin{newPin(t, "\xff", 1, 1)}}, "cannot be a key"},
		{"unreadable after", "x = { ir = 2.5, iters = 4 }", Change{Pinned: &Platform{}}, "b.toml: would not be readable after the change: b.toml:2: pinned.go: is empty"},
		{"bad band", "x = { ir = 2.5, iters = 4 }", Change{Set: []Pin{{Bench: "x", Ir: "1", Iters: 1, Band: "2", total: 1}}}, "would not be readable after the change"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := strings.TrimSuffix(header, "[budgets]\n")
			if !strings.HasPrefix(test.text, "[") {
				text += "[budgets]\n"
			} else {
				text += "\n"
			}
			file, err := Parse("b.toml", []byte(text+test.text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := file.Edit(test.change)
			if got != nil || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %q, %v\nwant %s", got, err, test.want)
			}
		})
	}
}

func FuzzParseAndEdit(f *testing.F) {
	f.Add(readFile(f, "testdata/budgets.toml"), "a.B/c")
	f.Add(Template(), "x")
	f.Add([]byte(header+"x = { ir = 2.5,\n iters = 4 }\ny.ir = 1\ny.iters = 2\n[budgets.z]\nir = 1\niters = 1"), "y")
	f.Add([]byte("[pinned]\ngo = 1\n<<<<<<<\n"), "\x00\"")
	f.Add([]byte(strings.ReplaceAll(header, "\n", "\r\n")+"x = {ir=1,iters=3} # é"), "x")
	f.Fuzz(func(t *testing.T, data []byte, bench string) {
		file, err := Parse("budgets.toml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "budgets.toml:") {
				t.Errorf("error without file and line: %v", err)
			}
			return
		}
		if same, err := file.Edit(Change{}); err != nil || string(same) != string(data) {
			t.Fatalf("no change: %v\n%q", err, same)
		}
		pin, err := NewPin(bench, 3, 10, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		platform := Platform{Go: "g", Target: "t", Libc: "l", CPU: "c", Seed: "s"}
		edited, err := file.Edit(Change{Set: []Pin{pin}, Pinned: &platform})
		if err != nil {
			return // refused, and nothing written
		}
		after, err := Parse("budgets.toml", edited)
		if err != nil {
			t.Fatalf("%v in\n%s", err, edited)
		}
		checkOthers(t, file, after, bench)
		if got, ok := after.Pin(bench); !ok || got.Total() != 10 {
			t.Fatalf("%q is %+v in\n%s", bench, got, edited)
		}
		if _, known := file.Pin(bench); known {
			return
		}
		// A line that was inserted and removed again leaves no trace.
		before := after
		if before, err = Parse("budgets.toml", mustEdit(t, after, Change{Remove: []string{bench}})); err != nil {
			t.Fatal(err)
		}
		inserted, err := Parse("budgets.toml", mustEdit(t, before, Change{Set: []Pin{pin}}))
		if err != nil {
			t.Fatal(err)
		}
		if removed := mustEdit(t, inserted, Change{Remove: []string{bench}}); string(removed) != string(before.data) {
			t.Fatalf("inserted and removed:\n%q\nfrom\n%q", removed, before.data)
		}
	})
}

func mustEdit(t *testing.T, file *File, change Change) []byte {
	t.Helper()
	edited, err := file.Edit(change)
	if err != nil {
		t.Fatalf("%v in\n%s", err, file.data)
	}
	return edited
}

// checkOthers wants every pin but one to be the same in both files.
func checkOthers(t *testing.T, before, after *File, changed string) {
	t.Helper()
	for _, pin := range before.Pins {
		got, ok := after.Pin(pin.Bench)
		if pin.Bench != changed && (!ok || !samePin(*pin, *got)) {
			t.Fatalf("%q was %+v and is %+v", pin.Bench, pin, got)
		}
	}
	if extra := len(after.Pins) - len(before.Pins); extra != 0 && extra != 1 {
		t.Fatalf("%d pins became %d", len(before.Pins), len(after.Pins))
	}
}

func BenchmarkParseAndEdit(b *testing.B) {
	var text strings.Builder
	text.WriteString(header)
	for i := range 2000 {
		fmt.Fprintf(&text, "\"benches/p%04d.Name/sub\" = { ir = 1000.5, iters = 10, allocs = 1, bytes = 16 }\n", i)
	}
	pin, err := NewPin("benches/p1000.Other", 3, 10, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		file, err := Parse("budgets.toml", []byte(text.String()))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := file.Edit(Change{Set: []Pin{pin}}); err != nil {
			b.Fatal(err)
		}
	}
}
