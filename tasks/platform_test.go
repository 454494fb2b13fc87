package tasks

import (
	"testing"

	"github.com/perfpin/perfpin/tasks/gobench"
)

func TestSeed(t *testing.T) {
	plain := gobench.Bench{}
	built := gobench.Bench{Command: &gobench.Command{Package: "example.com/app", Program: "/bin/app"}}
	foreign := gobench.Bench{Command: &gobench.Command{Program: "/bin/true"}}
	for name, test := range map[string]struct {
		pinned  string
		benches []gobench.Bench
		fixed   bool
		want    string
	}{
		"built here":                       {"", []gobench.Bench{plain, built}, false, "fixed"},
		"foreign, valgrind built here":     {"", []gobench.Bench{plain, foreign}, true, "fixed"},
		"foreign, valgrind from PATH":      {"", []gobench.Bench{plain, foreign}, false, "random"},
		"foreign, pinned with another":     {"fixed", []gobench.Bench{foreign}, false, "random"},
		"foreign, pinned without a seed":   {"random", []gobench.Bench{foreign}, true, "fixed"},
		"foreign ones not in this run":     {"random", []gobench.Bench{plain, built}, true, "random"},
		"none pinned with a foreign bench": {"fixed", []gobench.Bench{plain}, false, "fixed"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := seed(test.pinned, test.benches, test.fixed); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
