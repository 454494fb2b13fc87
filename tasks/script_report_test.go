package tasks_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

// wantJSON compares a value in a file: json FILE PATH WANT, with the paths of
// github.com/tidwall/gjson.
func wantJSON(ts *testscript.TestScript, negated bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH WANT")
	}
	document := ts.ReadFile(args[0])
	if !gjson.Valid(document) {
		ts.Fatalf("%s: no JSON: %s", args[0], document)
	}
	if got := gjson.Get(document, args[1]).String(); (got == args[2]) == negated {
		ts.Fatalf("%s: %s: got %q, want %q (negated: %v)", args[0], args[1], got, args[2], negated)
	}
}

// onlyPrograms makes a PATH of its own, with these programs of the script's PATH and
// what the go command and Git need to find.
func onlyPrograms(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) == 0 {
		ts.Fatalf("usage: only-programs NAME…")
	}
	dir, err := os.MkdirTemp(ts.Getenv("WORK"), "bin")
	ts.Check(err)
	for _, name := range args {
		var path string
		for _, folder := range filepath.SplitList(ts.Getenv("PATH")) {
			if info, err := os.Stat(filepath.Join(folder, name)); err == nil && !info.IsDir() {
				path = filepath.Join(folder, name)
				break
			}
		}
		if path == "" {
			path, err = exec.LookPath(name)
			ts.Check(err)
		}
		ts.Check(os.Symlink(path, filepath.Join(dir, name)))
	}
	ts.Setenv("PATH", dir)
}

// writePins writes a budgets.toml with a number of pins: write-pins N FILE.
func writePins(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 2 {
		ts.Fatalf("usage: write-pins N FILE")
	}
	var n int
	_, err := fmt.Sscan(args[0], &n)
	ts.Check(err)
	var out bytes.Buffer
	out.WriteString("[pinned]\n")
	for _, field := range strings.Fields(`go="go1" target="linux/amd64/v1" libc="static" cpu="avx2" seed="fixed"`) {
		out.WriteString(field + "\n")
	}
	out.WriteString("[budgets]\n")
	for i := range n {
		fmt.Fprintf(&out, "\"benches/p%d.Bench/case_%d\" = { ir = %d.5, iters = 2, allocs = 1, bytes = 64 }\n", i/50, i, 1000+i)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o666))
}
