package count

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/perfpin/perfpin/tasks/callgrind"
	"github.com/perfpin/perfpin/tasks/gobench"
)

// Callgrind is the valgrind that counts.
type Callgrind struct {
	// Path is the valgrind command and Lib the folder of its tools, "" where it
	// finds them itself.
	Path, Lib string
	// Version is as "3.27.1".
	Version string
	// FixedSeed tells that programs get constant bytes as AT_RANDOM, see getauxval(3).
	FixedSeed bool
	// Options are more of callgrind's options, such as --dump-instr=yes. None may
	// change what is counted.
	Options []string
}

// args returns valgrind's arguments for a run in the scratch folder, up to the
// program. Where atStart is not set, the program itself starts the counting.
func (c Callgrind) args(scratch gobench.Scratch, atStart bool) []string {
	args := []string{
		"--tool=callgrind",
		// No options from ~/.valgrindrc, VALGRIND_OPTS or the package's folder.
		"--command-line-only=yes",
		// No simulation of caches and branches: Ir alone is counted, four times as fast.
		"--cache-sim=no", "--branch-sim=no",
		// One entry for a function however deep it recurses.
		"--separate-recs=1",
		// One part per thread, so that the monitor thread can be told apart.
		"--separate-threads=yes",
		// All parts in one file.
		"--combine-dumps=yes",
		// The process's number tells its file from those of children that it forks.
		"--callgrind-out-file=" + scratch.Join("profile.%p"),
		"--log-file=" + scratch.Join("valgrind.%p"),
		// No pipes for a debugger: they are made in /tmp, and a thread polls them.
		"--vgdb=no",
		// Threads take turns in the order in which they ask; else who is first is left to
		// the kernel.
		"--fair-sched=yes",
		// The stack's size and place would follow `ulimit -s`.
		"--main-stacksize=8388608",
		// Children run natively and are not counted.
		"--trace-children=no",
	}
	if !atStart {
		args = append(args, "--instr-atstart=no")
	}
	return append(args, c.Options...)
}

// env returns what valgrind needs in its environment. It hands the folder of its
// tools on to the program in LD_PRELOAD: a link in the scratch folder makes that
// as long everywhere.
func (c Callgrind) env(scratch gobench.Scratch) ([]string, error) {
	if c.Lib == "" {
		return nil, nil
	}
	lib := scratch.Join("lib")
	return []string{"VALGRIND_LIB=" + lib}, os.Symlink(c.Lib, lib)
}

// A Profile is a callgrind profile and the text that it was read from.
type Profile struct {
	*callgrind.Profile
	Text []byte
}

// readProfile reads the profile that process pid has left in the scratch folder. The
// paths in it are made relative to that folder and to the module's.
func readProfile(scratch gobench.Scratch, root string, pid int) (Profile, error) {
	text, err := os.ReadFile(scratch.Join(fmt.Sprintf("profile.%d", pid)))
	if errors.Is(err, os.ErrNotExist) {
		// The path says nothing to anyone: the folder is gone when somebody reads it.
		err = errors.New("callgrind: wrote no profile")
	}
	if err != nil {
		return Profile{}, err
	}
	text = bytes.ReplaceAll(text, []byte(scratch.Dir+"/"), nil)
	text = bytes.ReplaceAll(text, []byte(root+"/"), nil)
	parsed, err := callgrind.ParseSelf("callgrind.out", text)
	return Profile{parsed, text}, err
}

// Counted returns the functions of a profile whose cost counts, with their self
// cost: not those of the run time's monitor thread, whose work depends on the
// clock, nor the part of package testing between the timer and the benchmark, nor
// what a thread does to fall asleep. Their sum is what a Run has as its Total.
func Counted(p *callgrind.Profile) []*callgrind.Function {
	counted := callgrind.Profile{Files: p.Files, Parts: countedParts(p)}
	var functions []*callgrind.Function
	for _, fn := range counted.Functions() {
		if fn.Self > 0 && isCounted(fn.Name) {
			functions = append(functions, fn)
		}
	}
	return functions
}

// countedParts returns the parts of all threads but the run time's monitor.
func countedParts(p *callgrind.Profile) []*callgrind.Part {
	var parts []*callgrind.Part
	for _, part := range p.Parts {
		if part.Self("runtime.sysmon") == 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

func isCounted(name string) bool { return !isTimer(name) && !isSleep(name) }

// isTimer reports whether a function belongs to the timer of package testing. What
// runs of it between the start of counting and its end is the same for every
// benchmark, and no part of any.
func isTimer(name string) bool {
	method, ok := strings.CutPrefix(name, "testing.(*B).")
	if !ok {
		return strings.HasPrefix(name, "testing.perfpin")
	}
	switch method {
	case "runN", "StartTimer", "StopTimer", "ResetTimer", "loopSlowPath":
		return true
	}
	return false
}

// isSleep reports whether a function puts a thread to sleep. Whether it is called at
// all depends on who was first: a thread that is woken before it falls asleep does
// not.
func isSleep(name string) bool {
	switch name {
	case "runtime.notesleep", "runtime.futexsleep", "runtime.futex.abi0", "runtime.futex":
		return true
	}
	return false
}

func total(functions []*callgrind.Function) int64 {
	var sum int64
	for _, fn := range functions {
		sum += fn.Self
	}
	return sum
}

// ProfilePath returns where the profile of a benchmark is kept, below dir.
func ProfilePath(dir, key string) string {
	elements := strings.Split(key, "/")
	for i, element := range elements {
		elements[i] = escape(element)
	}
	return filepath.Join(dir, filepath.Join(elements...)+".callgrind")
}
