package tasks

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/gobench"
)

// A shard is one of several parts of a suite, each counted elsewhere; the zero shard
// is all of it.
type shard struct{ number, of int }

// mostShards bounds what a slip of the finger can ask for.
const mostShards = 1000

// readShard reads -shard, as "2/5".
func readShard(text *string) (shard, error) {
	if text == nil {
		return shard{}, nil
	}
	s, err := parseShard(*text)
	if err != nil {
		return s, fmt.Errorf("-shard=%w", err)
	}
	return s, nil
}

func parseShard(text string) (shard, error) {
	number, of, _ := strings.Cut(text, "/")
	s := shard{}
	var err, ofErr error
	s.number, err = strconv.Atoi(number)
	s.of, ofErr = strconv.Atoi(of)
	if err != nil || ofErr != nil || s.String() != text || s.number < 1 || s.number > s.of || s.of > mostShards {
		return shard{}, fmt.Errorf("%s: want N/M, N from 1 to M and M at most %d, as 2/5", text, mostShards)
	}
	return s, nil
}

// String is "2/5", or "" for all.
func (s shard) String() string {
	if s.isAll() {
		return ""
	}
	return strconv.Itoa(s.number) + "/" + strconv.Itoa(s.of)
}

func (s shard) isAll() bool { return s == shard{} }

// errElsewhere stands in the place of counts that another shard takes.
var errElsewhere = errors.New("counted in another shard")

// A part is what belongs to a shard.
type part struct {
	// listed holds everything that gets a verdict in any shard, sorted; nil where the
	// part is all.
	listed []string
	mine   map[string]bool
}

// take leaves in the suite only the benches of a shard. Pins without a bench and
// packages without a list belong to a shard too, so that each is told of once.
func (s *suite) take(which shard) part {
	if which.isAll() {
		return part{}
	}
	var counts []count.Count
	weights := make(map[string]int64)
	for _, bench := range s.benches {
		counts = append(counts, count.Count{Bench: bench.Key, Err: errElsewhere})
		weights[bench.Key] = s.weigh(bench.Key)
	}
	for _, v := range s.judge(counts) {
		// What is not counted costs nothing.
		weights[v.Bench] += 0
	}
	mine := make(map[string]bool)
	for _, name := range divide(weights, which.of)[which.number-1] {
		mine[name] = true
	}
	s.benches = slices.DeleteFunc(s.benches, func(b gobench.Bench) bool { return !mine[b.Key] })
	return part{listed: slices.Sorted(maps.Keys(weights)), mine: mine}
}

// keep drops verdicts that other shards give.
func (p part) keep(verdicts []gate.Verdict) []gate.Verdict {
	if p.listed == nil {
		return verdicts
	}
	return slices.DeleteFunc(verdicts, func(v gate.Verdict) bool { return !p.mine[v.Bench] })
}

const (
	// startWeight is what it costs to start valgrind, a Go program and a benchmark's
	// set-up, in counted instructions that take as long.
	startWeight = 50_000_000
	// runsUnpinned is how many runs a bench without a pin takes that does not vary: one
	// to choose the number of operations, and those that have to agree.
	runsUnpinned = 4
)

// weigh returns about how long a bench takes, in instructions: by its pin, which is
// the same for all shards, and not by anything measured on one machine.
func (s *suite) weigh(bench string) int64 {
	pin, ok := s.file.Pin(bench)
	if !ok {
		return runsUnpinned * startWeight
	}
	return startWeight + min(pin.Total(), 1<<50)
}

// divide deals names to shards, the heaviest first, each to the lightest so far. That
// is at most a third longer than the best division (R. L. Graham, Bounds on
// Multiprocessing Timing Anomalies, 1969). Each shard is sorted.
func divide(weights map[string]int64, shards int) [][]string {
	names := slices.SortedFunc(maps.Keys(weights), func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b))
	})
	parts, loads := make([][]string, shards), make([]int64, shards)
	for _, name := range names {
		lightest := slices.Index(loads, slices.Min(loads))
		parts[lightest] = append(parts[lightest], name)
		loads[lightest] += weights[name]
	}
	for _, part := range parts {
		slices.Sort(part)
	}
	return parts
}
