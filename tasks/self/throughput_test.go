package self

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/magefile/mage/mg"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

func TestMain(m *testing.M) {
	commands := map[string]func(){"throughput": runTarget, "ask": ask, "provide": runProvide}
	for name, conduct := range conducts() {
		commands["serve-"+name] = func() { serveFake(conduct) }
	}
	testscript.Main(m, commands)
}

// TestThroughput runs the scripts in testdata/throughput. They run the target with
// real load generators and servers, with fake ones that scripts write, and with
// the fake servers serve-NAME, one for each of conducts.
func TestThroughput(t *testing.T) {
	real := buildServer(t)
	script, err := filepath.Abs(filepath.Join("..", "..", "scripts", "throughput.sh"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "throughput"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			if err := disableTelemetry(env.WorkDir); err != nil {
				return err
			}
			env.Setenv("SERVER", real)
			env.Setenv("SCRIPT", script)
			for variable, program := range map[string]string{"GO": "go", "TARGET": "throughput"} {
				path, err := exec.LookPath(program)
				if err != nil {
					return err
				}
				env.Setenv(variable, path)
			}
			fixtures, err := filepath.Glob(filepath.Join("..", "throughput", "testdata", "oha*.json"))
			if err != nil {
				return err
			}
			for _, path := range fixtures {
				data, err := os.ReadFile(path)
				if err == nil {
					err = os.WriteFile(filepath.Join(env.WorkDir, filepath.Base(path)), data, 0o644)
				}
				if err != nil {
					return err
				}
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "go.mod"), []byte("module scratch\n"), 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await":      await,
			"nothing":    nothing,
			"json":       wantJSON,
			"nohostname": noHostname,
		},
	})
}

// buildServer builds the server as the target does.
func buildServer(t *testing.T) string {
	t.Helper()
	g, err := openModule(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var flags []string
	if os.Getenv("GOCOVERDIR") != "" {
		// What the scripts reach in the server is asked for.
		flags = []string{"-cover"}
	}
	path := filepath.Join(t.TempDir(), "perfpin-serve")
	if _, err := g.Build(t.Context(), serverCommand, path, flags...); err != nil {
		t.Fatal(err)
	}
	return path
}

// runTarget is the command throughput: the target with its flags, as Mage runs it.
func runTarget() {
	var (
		set                          = flag.NewFlagSet("throughput", flag.ExitOnError)
		duration, warmup             *time.Duration
		connections, rounds          *int
		only, frontEnd, server, load *string
		serverOnly                   *bool
		atleast                      *float64
		durationOf                   = func(at **time.Duration) func(string) error { return parsed(at, time.ParseDuration) }
		numberOf                     = func(at **int) func(string) error { return parsed(at, strconv.Atoi) }
		textOf                       = func(at **string) func(string) error {
			return parsed(at, func(s string) (string, error) { return s, nil })
		}
	)
	set.Func("duration", "", durationOf(&duration))
	set.Func("warmup", "", durationOf(&warmup))
	set.Func("connections", "", numberOf(&connections))
	set.Func("rounds", "", numberOf(&rounds))
	set.Func("only", "", textOf(&only))
	set.Func("frontEnd", "", textOf(&frontEnd))
	set.Func("server", "", textOf(&server))
	set.Func("load", "", textOf(&load))
	set.BoolFunc("serverOnly", "", parsed(&serverOnly, strconv.ParseBool))
	set.Func("atleast", "", parsed(&atleast, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }))
	_ = set.Parse(os.Args[1:]) // it exits
	err := Throughput(context.Background(), duration, warmup, connections, rounds, only, serverOnly, frontEnd, server, load, atleast)
	if err != nil {
		status := mg.ExitStatus(err)
		fmt.Fprintf(os.Stderr, "Error: %v\nexit status %d\n", err, status)
		os.Exit(status)
	}
}

func parsed[T any](at **T, parse func(string) (T, error)) func(string) error {
	return func(text string) error {
		value, err := parse(text)
		*at = &value
		return err
	}
}

// ask is a command for fake load generators: it requests a URL for a bit more than a
// second, over one connection.
func ask() {
	for end := time.Now().Add(1100 * time.Millisecond); time.Now().Before(end); {
		answer, err := http.Get(os.Args[1])
		if err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_ = answer.Body.Close()
	}
}

// await waits until a file is there.
func await(ts *testscript.TestScript, _ bool, args []string) {
	for range 3000 {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s does not appear", args[0])
}

// nothing demands that no process of the script's folder runs, and that no cgroup of
// the harness is left that nobody uses.
func nothing(ts *testscript.TestScript, _ bool, _ []string) {
	folder := ts.Getenv("WORK")
	processes, err := filepath.Glob("/proc/[0-9]*")
	ts.Check(err)
	for _, process := range processes {
		// What cannot be read has ended.
		line, _ := os.ReadFile(filepath.Join(process, "cmdline"))
		cwd, _ := os.Readlink(filepath.Join(process, "cwd"))
		if strings.Contains(string(line), folder) || strings.HasPrefix(cwd, folder) {
			ts.Fatalf("%s still runs: %q in %s", process, line, cwd)
		}
	}
}

// wantJSON compares a value in a file: json FILE PATH WANT.
func wantJSON(ts *testscript.TestScript, negated bool, args []string) {
	document := ts.ReadFile(args[0])
	if !gjson.Valid(document) {
		ts.Fatalf("%s: no JSON: %s", args[0], document)
	}
	if got := gjson.Get(document, args[1]).String(); (got == args[2]) == negated {
		ts.Fatalf("%s: %s: got %q, want %q (negated: %v)", args[0], args[1], got, args[2], negated)
	}
}

// noHostname demands that a file does not hold the host's name as a word.
func noHostname(ts *testscript.TestScript, _ bool, args []string) {
	name, err := os.Hostname()
	ts.Check(err)
	words := strings.FieldsFunc(ts.ReadFile(args[0]), func(r rune) bool { return strings.ContainsRune(" \t\n\",;:|", r) })
	for _, word := range words {
		if word == name {
			ts.Fatalf("%s: holds the host's name, %s", args[0], name)
		}
	}
}

// disableTelemetry keeps the go command, in a new home, from starting a process of
// its own that outlives it: the scripts check that nothing is left running.
func disableTelemetry(home string) error {
	dir := filepath.Join(home, ".config", "go", "telemetry")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "mode"), []byte("off"), 0o666)
}
