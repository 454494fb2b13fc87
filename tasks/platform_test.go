package tasks

import (
	"testing"

	"github.com/perfpin/perfpin/tasks/gobench"
)

func TestSeed(t *testing.T) {
	plain := gobench.Bench{}
	command := gobench.Bench{Command: &gobench.Command{Program: "/bin/true"}}
	for name, test := range map[string]struct {
		pinned  string
		benches []gobench.Bench
		fixed   bool
		want    string
	}{
		"no command":                       {"", []gobench.Bench{plain}, false, "fixed"},
		"a command, valgrind built here":   {"", []gobench.Bench{plain, command}, true, "fixed"},
		"a command, valgrind from PATH":    {"", []gobench.Bench{plain, command}, false, "random"},
		"pinned with one built here":       {"fixed", []gobench.Bench{command}, false, "random"},
		"pinned with one from PATH":        {"random", []gobench.Bench{command}, true, "fixed"},
		"the commands are not in this run": {"random", []gobench.Bench{plain}, true, "random"},
		"nor in any":                       {"fixed", []gobench.Bench{plain}, false, "fixed"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := seed(test.pinned, test.benches, test.fixed); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
