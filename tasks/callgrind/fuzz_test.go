package callgrind

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// print writes a profile in the plainest form of the format: no numbered names,
// no relative positions, one cost line a Cost. It is what Parse must read back.
func print(profile *Profile) []byte {
	var out bytes.Buffer
	for _, part := range profile.Parts {
		fmt.Fprintf(&out, "%s\nversion: 1\ncreator: %s\npid: %d\ncmd: %s\npart: %d\nthread: %d\n",
			firstLine, part.Creator, part.PID, part.Cmd, part.Number, part.Thread)
		for _, desc := range part.Desc {
			fmt.Fprintf(&out, "desc: %s\n", desc)
		}
		fmt.Fprintf(&out, "positions: instr line\nevents: Ir\nsummary: %d\n\n", part.Summary)
		for _, fn := range part.Functions {
			printFunction(&out, profile, fn)
		}
		fmt.Fprintf(&out, "totals: %d\n", part.Total)
	}
	return out.Bytes()
}

func printFunction(out *bytes.Buffer, profile *Profile, fn *Function) {
	fmt.Fprintf(out, "ob=%s\nfl=%s\nfn=%s\n", fn.Object, fn.File, fn.Name)
	for _, cost := range fn.Costs {
		fmt.Fprintf(out, "fi=%s\n%#x %d %d\n", profile.Files[cost.File], cost.Addr, cost.Line, cost.Ir)
	}
	for _, call := range fn.Calls {
		fmt.Fprintf(out, "fi=%s\ncob=%s\ncfi=%s\ncfn=%s\ncalls=%d 0x0 0\n%#x %d %d\n",
			profile.Files[call.File], call.Callee.Object, call.Callee.File, call.Callee.Name,
			call.Count, call.Addr, call.Line, call.Inclusive)
	}
}

// comparable drops what print cannot keep: the order in which functions and
// files are first named, and all events but Ir.
func comparable(profile *Profile) any {
	type arc struct {
		callee [3]string
		file   string
		call   Call
	}
	type function struct {
		key   [3]string
		self  int64
		costs []string
		calls []arc
	}
	key := func(fn *Function) [3]string { return [3]string{fn.Object, fn.File, fn.Name} }
	var parts []any
	for _, part := range profile.Parts {
		functions := make(map[[3]string]function)
		for _, fn := range part.Functions {
			f := function{key: key(fn), self: fn.Self}
			for _, c := range fn.Costs {
				f.costs = append(f.costs, fmt.Sprint(profile.Files[c.File], c.Line, c.Addr, c.Ir))
			}
			for _, c := range fn.Calls {
				a := arc{key(c.Callee), profile.Files[c.File], c}
				a.call.Callee, a.call.File = nil, 0
				f.calls = append(f.calls, a)
			}
			functions[f.key] = f
		}
		header := *part
		header.Functions, header.Events = nil, nil
		parts = append(parts, header, functions)
	}
	return parts
}

// printable tells whether print can write every name so that it is read back:
// an unset object or file has no form of its own once another part of the file
// has set one.
func printable(profile *Profile) bool {
	for _, part := range profile.Parts {
		for _, fn := range part.Functions {
			for _, name := range []string{fn.Object, fn.File, fn.Name} {
				if _, _, numbered := cutNumber([]byte(name)); name == "" || numbered {
					return false
				}
			}
		}
	}
	for _, file := range profile.Files {
		if _, _, numbered := cutNumber([]byte(file)); numbered || file == "" {
			return false
		}
	}
	return true
}

func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*.out", "testdata/bad/*.out"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatal(pattern, names, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			if len(data) < 20_000 {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		profile, err := Parse("fuzz.out", data)
		short, shortErr := ParseSelf("fuzz.out", data)
		if (err == nil) != (shortErr == nil) {
			t.Fatalf("Parse: %v, ParseSelf: %v", err, shortErr)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz.out:") {
				t.Errorf("error without file and line: %v", err)
			}
			return
		}
		var self, costs int64
		for _, fn := range profile.Functions() {
			self += fn.Self
			for _, cost := range fn.Costs {
				costs += cost.Ir
			}
		}
		if total := profile.Total(); self != total || costs != total || short.Total() != total {
			t.Errorf("total %d, self %d, costs %d, ParseSelf %d", total, self, costs, short.Total())
		}
		if !printable(profile) {
			return
		}
		again, err := Parse("again.out", print(profile))
		if err != nil {
			t.Fatalf("%v in\n%s", err, print(profile))
		}
		if got, want := comparable(again), comparable(profile); !reflect.DeepEqual(got, want) {
			t.Errorf("printed and read again: got\n%v\nwant\n%v", got, want)
		}
	})
}
