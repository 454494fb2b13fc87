package tasks

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/git"
	"github.com/perfpin/perfpin/tasks/history"
	"github.com/perfpin/perfpin/tasks/report/page"
)

// mostRevisions is how many states of budgets.toml are read, the newest ones: the page
// draws no more.
const mostRevisions = 100

// revisions returns the committed states of budgets.toml, so that a fresh clone has a
// trend too. Where Git cannot tell them, or not all, a note says so.
func (g *gatherer) revisions(ctx context.Context, s *page.Section[page.Counts]) []history.Revision {
	r, err := git.Open(ctx, g.root)
	if err != nil {
		err = fmt.Errorf("what was pinned before cannot be told: %w", err)
		g.note(s, err)
		g.told = append(g.told, withoutPaths(err, g.root))
		return nil
	}
	if r.Shallow {
		err := errors.New("this clone is shallow: what was pinned before its first commit is not in the trends\nhint: git fetch --unshallow")
		g.note(s, err)
		g.told = append(g.told, err)
	}
	revisions, broken, err := pinsOverTime(ctx, r)
	if err != nil {
		err = fmt.Errorf("what was pinned before cannot be told: %w", err)
		g.note(s, err)
		g.problems = append(g.problems, withoutPaths(err, g.root))
	}
	if broken > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d committed states of %s cannot be read, and are not in the trends", broken, budgetsFile))
	}
	return revisions
}

// pinsOverTime reads the committed states of budgets.toml. Those that cannot be read,
// as of an older format, are counted.
func pinsOverTime(ctx context.Context, r git.Repository) (revisions []history.Revision, broken int, err error) {
	// Before the first commit there is nothing to tell.
	if _, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return nil, 0, nil
	}
	out, err := r.Run(ctx, "log", "--max-count="+strconv.Itoa(mostRevisions), "--format=%H %ct", "--", budgetsFile)
	if err != nil || out == "" {
		return nil, 0, err
	}
	var asked strings.Builder
	for line := range strings.Lines(out) {
		hash, seconds, _ := strings.Cut(strings.TrimSpace(line), " ")
		at, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return nil, 0, fmt.Errorf("git log: got %q, want a hash and a time", line)
		}
		revisions = append(revisions, history.Revision{Commit: hash, Date: time.Unix(at, 0).UTC()})
		fmt.Fprintf(&asked, "%s:./%s\n", hash, budgetsFile)
	}
	texts, err := r.Contents(ctx, asked.String())
	if err != nil {
		return nil, 0, err
	}
	if len(texts) != len(revisions) {
		return nil, 0, fmt.Errorf("git cat-file: got %d files, want %d", len(texts), len(revisions))
	}
	var readable []history.Revision
	for i, text := range texts {
		switch file, err := budget.Parse(budgetsFile, text); {
		case text == nil: // it was removed there
		case err != nil:
			broken++
		default:
			revisions[i].File = file
			readable = append(readable, revisions[i])
		}
	}
	return readable, broken, nil
}
