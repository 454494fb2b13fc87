package tasks_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts drives the compiled magefile of this repository over scratch modules,
// with the real valgrind and with a fake one in its place. Each script is named for
// what it shows. See commands for what they can do beside testscript's own.
func TestScripts(t *testing.T) {
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mage := compileMagefile(t, repository)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			return setUp(env, repository, mage)
		},
		Cmds: commands(),
	})
}

// compileMagefile makes the program that mage would make of the magefile, and has
// valgrind built, which the scripts share.
func compileMagefile(t *testing.T, repository string) string {
	t.Helper()
	mage := filepath.Join(t.TempDir(), "mage")
	for _, args := range [][]string{{"tool", "mage", "-compile", mage}, {"tool", "mage", "bootstrap"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = repository
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	return mage
}

// setUp gives a script the caches of the machine, the compiled magefile as mage on
// its PATH, and the repository's valgrind as its own.
func setUp(env *testscript.Env, repository, mage string) error {
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return err
		}
		env.Setenv(name, strings.TrimSpace(string(out)))
	}
	env.Setenv("GOTOOLCHAIN", "local")
	env.Setenv("REPOSITORY", repository)
	env.Setenv("PATH", filepath.Dir(mage)+string(os.PathListSeparator)+env.Getenv("PATH"))
	tools := filepath.Join(env.WorkDir, "target", "tools")
	if err := os.MkdirAll(filepath.Dir(tools), 0o777); err != nil {
		return err
	}
	return os.Symlink(filepath.Join(repository, "target", "tools"), tools)
}

// commands returns what scripts can do beside testscript's own commands:
//
//	status N command…    run the command and want exit status N
//	replace OLD NEW FILE replace the only occurrence of a text in a file
//	fake-valgrind FILE   put the program FILE in the place of valgrind; it finds the
//	                     real one as $REAL_VALGRIND
//	json FILE PATH WANT  compare a value in a JSON file, by its gjson path
//	only-programs NAME…  from now on, let these programs alone be on PATH
//	write-pins N FILE    write a budgets.toml with N pins
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"status":        wantStatus,
		"replace":       replaceText,
		"fake-valgrind": fakeValgrind,
		"json":          wantJSON,
		"only-programs": onlyPrograms,
		"write-pins":    writePins,
		"nohostname":    noHostname,
	}
}

// noHostname demands that a file does not hold the host's name as a word.
func noHostname(ts *testscript.TestScript, _ bool, args []string) {
	name, err := os.Hostname()
	ts.Check(err)
	if slices.Contains(strings.Fields(ts.ReadFile(args[0])), name) {
		ts.Fatalf("%s: holds the host's name, %s", args[0], name)
	}
}

func wantStatus(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 2 {
		ts.Fatalf("usage: status N command…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func replaceText(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 3 {
		ts.Fatalf("usage: replace OLD NEW FILE")
	}
	path := ts.MkAbs(args[2])
	data, err := os.ReadFile(path)
	ts.Check(err)
	if n := bytes.Count(data, []byte(args[0])); n != 1 {
		ts.Fatalf("%s: %q stands %d times, want once", args[2], args[0], n)
	}
	ts.Check(os.WriteFile(path, bytes.Replace(data, []byte(args[0]), []byte(args[1]), 1), 0o666))
}

func fakeValgrind(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 1 {
		ts.Fatalf("usage: fake-valgrind FILE")
	}
	script, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	real := filepath.Join(ts.Getenv("REPOSITORY"), "target", "tools", "valgrind")
	tools := filepath.Join(ts.Getenv("WORK"), "target", "tools")
	ts.Check(os.RemoveAll(tools))
	ts.Check(os.MkdirAll(filepath.Join(tools, "valgrind", "bin"), 0o777))
	for _, part := range []string{"libexec", "recipe"} {
		ts.Check(os.Symlink(filepath.Join(real, part), filepath.Join(tools, "valgrind", part)))
	}
	text := fmt.Sprintf("#!/bin/sh\nREAL_VALGRIND=%s/bin/valgrind\n%s", real, script)
	ts.Check(os.WriteFile(filepath.Join(tools, "valgrind", "bin", "valgrind"), []byte(text), 0o777))
}
