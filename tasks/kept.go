package tasks

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/perfpin/perfpin/tasks/atomicfile"
	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/callgrind"
	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/explain"
	"github.com/perfpin/perfpin/tasks/explain/symbols"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/gobench"
	"github.com/perfpin/perfpin/tasks/report"
)

// byInstruction has callgrind keep the cost of each instruction, by its address.
// What is inlined can only be told by that. It changes no count.
const byInstruction = "--dump-instr=yes"

// pinnedProfile returns where the profile of a bench's pinned state is kept.
func pinnedProfile(root, bench string) string {
	path := count.ProfilePath(filepath.Join(root, "target", "perf", "pinned"), bench)
	return strings.TrimSuffix(path, ".callgrind") + ".pb.gz"
}

// profileOf returns by function and line what a count is of.
func (s *suite) profileOf(c count.Count) (explain.Profile, error) {
	p := explain.Profile{Bench: c.Bench, Iters: c.Iters}
	text, err := os.ReadFile(filepath.Join(s.counter.Root, c.Profile))
	if err != nil {
		return p, err
	}
	parsed, err := callgrind.Parse(c.Profile, text)
	if err != nil {
		return p, err
	}
	programs, err := readPrograms(s.counter.Root, s.bench(c.Bench))
	if err == nil {
		err = programs.Check(c.Profile, parsed.Functions())
	}
	if err != nil {
		return p, err
	}
	p.Costs = explain.Resolve(count.Counted(parsed), parsed.Files, programs)
	// Another run may have written the file meanwhile.
	if got := p.Total(); got != c.Total {
		return p, fmt.Errorf("%s: is of %d instructions, and %d were counted", c.Profile, got, c.Total)
	}
	return p, nil
}

func (s *suite) bench(key string) gobench.Bench {
	for _, bench := range s.benches {
		if bench.Key == key {
			return bench
		}
	}
	return gobench.Bench{}
}

// readPrograms reads the symbols of the program that a benchmark's profile is of. Of
// a program that is not Go's, callgrind tells the functions.
func readPrograms(root string, bench gobench.Bench) (explain.Programs, error) {
	path := bench.Binary.Path
	if bench.Command != nil {
		path = bench.Command.Program
	}
	// Profiles name files as the kernel does, by their path or by that in the module,
	// and a command as the copy that was run.
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	objects := []string{path, "command"}
	if inside, err := filepath.Rel(root, path); err == nil {
		objects = append(objects, inside)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	table, err := symbols.Read(file)
	switch {
	case errors.Is(err, symbols.ErrNotGo):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	programs := make(explain.Programs)
	for _, object := range objects {
		programs[object] = table
	}
	return programs, nil
}

// keepPinned keeps the profile of a state that is pinned now, for whoever asks later
// what has moved since.
func (s *suite) keepPinned(c count.Count) error {
	p, err := s.profileOf(c)
	if err != nil {
		return fmt.Errorf("%s: profile: %w", c.Bench, err)
	}
	var out bytes.Buffer
	if err := p.WritePprof(&out); err != nil {
		return fmt.Errorf("%s: profile: %w", c.Bench, err)
	}
	return atomicfile.Write(pinnedProfile(s.counter.Root, c.Bench), out.Bytes())
}

// keepProfiles keeps the profiles of all new pins, and returns what went wrong.
func (s *suite) keepProfiles(counts []count.Count, change budget.Change) []error {
	var errs []error
	for i := range change.Set {
		if c, ok := find(counts, change.Set[i].Bench); ok {
			if err := s.keepPinned(c); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errs
}

// explainVerdicts adds to the options which functions moved where a verdict is
// regressed or improved, and for which of these no profile of the pinned state is at
// hand.
func (s *suite) explainVerdicts(verdicts []gate.Verdict, opts report.TerminalOptions) report.TerminalOptions {
	opts.Explained = make(map[string]report.Explanation)
	for i := range verdicts {
		v := &verdicts[i]
		if v.Kind != gate.Regressed && v.Kind != gate.Improved {
			continue
		}
		e := report.Explanation{Bench: v.Bench, Base: v.Pin.Total(), Head: v.Count.Total, Iters: v.Count.Iters}
		pinned, err := readPinned(s.counter.Root, v.Bench, v.Pin.Iters, v.Pin.Total())
		if err == nil {
			var now explain.Profile
			now, err = s.profileOf(*v.Count)
			e.Moves = explain.Compare(pinned, now)
		}
		e.Err = err
		opts.Explained[v.Bench] = e
	}
	return opts
}

// errNoProfile tells that no profile of the pinned state is at hand.
var errNoProfile = errors.New("no profile of the pinned state")

// readPinned reads the kept profile of a pin. One of another state is as good as
// none: then the functions would not add up.
func readPinned(root, bench string, iters, total int64) (explain.Profile, error) {
	path := pinnedProfile(root, bench)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return explain.Profile{}, errNoProfile
	}
	if err != nil {
		return explain.Profile{}, err
	}
	name, err := filepath.Rel(root, path)
	if err != nil {
		return explain.Profile{}, err
	}
	p, err := explain.ReadPprof(name, data)
	switch {
	case err != nil:
		return p, err
	case p.Bench != bench:
		return p, fmt.Errorf("%s: is of %s", name, p.Bench)
	case p.Iters != iters || p.Total() != total:
		return p, fmt.Errorf("%s: is of %d instructions in %d operations, pinned are %d in %d: of another state",
			name, p.Total(), p.Iters, total, iters)
	}
	return p, nil
}
