package count

import (
	"fmt"
	"testing"

	"github.com/perfpin/perfpin/tasks/gobench"
)

// What is not counted of a command is not perturbed, and told.
func TestPerturbationsOfACommand(t *testing.T) {
	names := func(all []Perturbation) (names []string) {
		for _, p := range all {
			names = append(names, p.Name)
		}
		return names
	}
	for _, test := range []struct {
		bench       gobench.Bench
		tried, left string
	}{
		{gobench.Bench{}, "[none environment working directory TMPDIR LD_LIBRARY_PATH all]", "[]"},
		{gobench.Bench{Command: new(gobench.Command)}, "[none working directory]", "[environment TMPDIR LD_LIBRARY_PATH]"},
	} {
		tried, left := perturbationsOf(test.bench)
		if got := fmt.Sprint(names(tried)); got != test.tried {
			t.Errorf("tries %s, want %s", got, test.tried)
		}
		if got := fmt.Sprint(left); got != test.left {
			t.Errorf("leaves out %s, want %s", got, test.left)
		}
	}
}
