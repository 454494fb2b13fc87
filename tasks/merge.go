package tasks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/gocommand"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/tool"
)

// Merge joins the results of all shards into one verdict, as if they had been one run.
func Merge(ctx context.Context,
	from *string, // the shards' results.json, or folders that hold one; default: 'target/shards/*'
	strict *bool, // fail where the platform is not the pinned one
) error {
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	pattern := defaultShards
	if from != nil {
		pattern = *from
	}
	_, err := mergeShards(ctx, newConsole(), pattern, strict != nil && *strict)
	return err
}

// defaultShards is where Merge looks for shards.
const defaultShards = "target/shards/*"

// mergeShards does for the results of shards what a gating does for a whole run.
func mergeShards(ctx context.Context, c console, from string, strict bool) (*report.Results, error) {
	root, err := gocommand.CurrentModule()
	if err != nil {
		return nil, err
	}
	file, err := readBudgets(root)
	if err != nil {
		return nil, err
	}
	shards, err := readShards(from)
	if err != nil {
		return nil, err
	}
	joined, counts, err := joinShards(shards)
	if err != nil {
		return nil, err
	}
	if commit, _ := commitOf(ctx, root); commit != "" && joined.Commit != "" && commit != joined.Commit {
		return nil, fmt.Errorf("%s: shards of commit %s, and this tree is at %s\nhint: git checkout %s", from, joined.Commit, commit, joined.Commit)
	}
	verdicts := gate.Judge(counts, file, budget.Platform(joined.Platform), gate.Options{Filtered: joined.Filtered})
	if err := compareJudgements(shards, report.NewResults(verdicts, joined)); err != nil {
		return nil, err
	}
	explained := explainedBy(shards)
	results, err := writeResults(root, verdicts, joined, explained)
	err = errors.Join(err, addHistory(root, results))
	options := c.options()
	options.Explained = explained
	if err := errors.Join(err, report.Terminal(c.out, verdicts, options)); err != nil {
		return nil, err
	}
	return results, gate.Conclude(verdicts, strict)
}

// explainedBy returns which functions moved, as the shards tell.
func explainedBy(shards []shardResults) map[string]report.Explanation {
	all := make(map[string]report.Explanation)
	for _, s := range shards {
		maps.Copy(all, s.Explained())
	}
	return all
}

// A shardResults is one shard's results, and which shard it is.
type shardResults struct {
	*report.Results
	which shard
	name  string // the file's
}

// readShards reads the results that the patterns name, in the order of the shards.
func readShards(from string) ([]shardResults, error) {
	paths, err := findShards(from)
	if err != nil {
		return nil, err
	}
	var all []shardResults
	var errs []error
	for _, path := range paths {
		s, err := readShardResults(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, s)
	}
	if errs != nil {
		return nil, fmt.Errorf("%w\nshards read: %d of %d", errors.Join(errs...), len(all), len(paths))
	}
	slices.SortStableFunc(all, func(a, b shardResults) int { return a.which.number - b.which.number })
	return all, nil
}

// findShards returns the files that a pattern matches, a folder standing for the
// results.json in it.
func findShards(from string) ([]string, error) {
	paths, err := filepath.Glob(from)
	if err != nil {
		return nil, fmt.Errorf("-from=%s: %w", from, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("-from=%s: matches nothing\nhint: go tool mage perf -shard=1/2", from)
	}
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			paths[i] = filepath.Join(path, "results.json")
		}
	}
	return paths, nil
}

func readShardResults(path string) (shardResults, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return shardResults{}, err
	}
	results, err := report.ReadResults(path, data)
	if err != nil {
		// It is not the whole run that has to be made again.
		return shardResults{}, errors.New(strings.ReplaceAll(err.Error(), "\nhint: go tool mage perf", "\nhint: go tool mage perf -shard=1/2  # as it was counted"))
	}
	if results.Shard == "" {
		return shardResults{}, fmt.Errorf("%s: is of a whole run, not of a shard\nhint: go tool mage perf -shard=1/2", path)
	}
	which, err := parseShard(results.Shard)
	if err != nil {
		return shardResults{}, fmt.Errorf("%s: shard %w", path, err)
	}
	return shardResults{results, which, path}, nil
}

// compareJudgements wants each shard to have judged as this tree's pins do: else they
// were other pins.
func compareJudgements(shards []shardResults, merged report.Results) error {
	now := make(map[string]report.Bench)
	for _, bench := range merged.Benches {
		now[bench.Bench] = bench
	}
	var errs []error
	for _, s := range shards {
		for _, bench := range s.Benches {
			bench.Functions = nil // are told, and judge nothing
			if here := now[bench.Bench]; !reflect.DeepEqual(bench, here) {
				errs = append(errs, fmt.Errorf("%s: bench %q: was held to another pin than this tree's %s has: there %s, here %s",
					s.name, bench.Bench, budgetsFile, tellJudgement(bench), tellJudgement(here)))
			}
			delete(now, bench.Bench)
		}
	}
	for _, bench := range merged.Benches {
		if _, left := now[bench.Bench]; left {
			errs = append(errs, fmt.Errorf("bench %q: %s by this tree's %s, and no shard knows it", bench.Bench, tellJudgement(bench), budgetsFile))
		}
	}
	if errs == nil {
		return nil
	}
	return fmt.Errorf("%w\nbenches that the shards judge otherwise: %d of %d", errors.Join(errs...), len(errs), len(merged.Benches))
}

func tellJudgement(b report.Bench) string {
	switch {
	case b.Verdict == "":
		return "unknown"
	case b.Pin == nil:
		return string(b.Verdict)
	}
	return fmt.Sprintf("%s (line %d: %d instructions in %d operations, band %s)", b.Verdict, b.Pin.Line, b.Pin.Total, b.Pin.Iters, b.Band)
}
