package count

import (
	"slices"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/tasks/callgrind"
)

// separated is a profile as --separate-callers makes it, one thread a part: of each
// kind of what does not count there is something.
const separated = `# callgrind format
version: 1
creator: callgrind-3.27.1
pid: 7
cmd: ./scratch.test

part: 1
thread: 1
positions: line
events: Ir
summary: 143

fl=(1) scratch_test.go
fn=(1) scratch.work'scratch.inA'scratch.BenchmarkPing
3 40
fn=(2) scratch.work'scratch.inB'scratch.BenchmarkPing.func1
3 50
fn=(3) testing.(*B).StartTimer'scratch.BenchmarkPing
4 7
fn=(4) testing.perfpinStart'testing.(*B).StartTimer
5 11
fn=(5) runtime.futexsleep'runtime.notesleep'runtime.stopm
6 13
fn=(6) runtime.notesleep'runtime.stopm
7 17
fn=(7) runtime.futexwakeup'runtime.notewakeup
8 5

totals: 143

part: 1
thread: 2
positions: line
events: Ir
summary: 42

fl=(1)
fn=(8) runtime.sysmon'runtime.mstart1
9 19
fn=(9) runtime.usleep'runtime.sysmon
10 23

totals: 42
`

// With callers and without, the same costs count: those of work and of futexwakeup.
func TestCountedContextsAreCounted(t *testing.T) {
	joined := strings.Split(separated, "\n")
	for i, line := range joined {
		joined[i], _, _ = strings.Cut(line, "'")
	}
	p, err := callgrind.Parse("joined", []byte(strings.Join(joined, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	q, err := callgrind.Parse("separated", []byte(separated))
	if err != nil {
		t.Fatal(err)
	}
	const want = 40 + 50 + 5
	contexts := CountedContexts(q)
	if got, of := total(contexts), total(Counted(p)); got != want || of != want {
		t.Errorf("got %d with callers and %d without, want %d", got, of, want)
	}
	var names []string
	for _, fn := range contexts {
		names = append(names, fn.Name)
	}
	if want := []string{"scratch.work", "scratch.work", "runtime.futexwakeup"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
