package tasks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/git"
	"github.com/perfpin/perfpin/tasks/report"
)

// pinnedAt returns the commit that last changed the pin of a bench.
func pinnedAt(ctx context.Context, r git.Repository, file *budget.File, bench string) (git.Revision, error) {
	pin, ok := file.Pin(bench)
	if !ok {
		return git.Revision{}, fmt.Errorf("%s: has no pin whose commit could be the base\nhint: go tool mage explain -bench=%s -base=HEAD",
			bench, report.QuoteShell("^"+regexp.QuoteMeta(bench)+"$"))
	}
	text, err := os.ReadFile(filepath.Join(r.Root, budgetsFile))
	if err != nil {
		return git.Revision{}, err
	}
	lines := strings.Split(string(text), "\n")
	if pin.Line < 1 || pin.Line > len(lines) {
		return git.Revision{}, fmt.Errorf("%s:%d: changed while it was read", budgetsFile, pin.Line)
	}
	key, _, _ := strings.Cut(lines[pin.Line-1], "{")
	commit, err := r.Run(ctx, "log", "-1", "--format=%H", "-G^"+regexp.QuoteMeta(key), "--", budgetsFile)
	if err != nil {
		return git.Revision{}, err
	}
	again := "\nhint: go tool mage explain -bench=" + report.QuoteShell("^"+regexp.QuoteMeta(bench)+"$") + " -base=HEAD"
	if commit == "" {
		return git.Revision{}, fmt.Errorf("%s:%d: bench %q: no commit has this pin%s", budgetsFile, pin.Line, bench, again)
	}
	// A shallow clone's first commit seems to add everything.
	if _, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", commit+"^"); err != nil && r.Shallow {
		return git.Revision{}, fmt.Errorf("%s:%d: bench %q: the commit that pinned it is not in this shallow clone\nhint: git fetch --unshallow",
			budgetsFile, pin.Line, bench)
	}
	return git.Revision{Commit: commit, Asked: "pinned"}, nil
}
