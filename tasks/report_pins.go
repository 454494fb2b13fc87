package tasks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/history"
	"github.com/perfpin/perfpin/tasks/report/page"
	"github.com/perfpin/perfpin/tasks/tool"
)

// mostRevisions is how many states of budgets.toml are read, the newest ones: the page
// draws no more.
const mostRevisions = 100

// revisions returns the committed states of budgets.toml, so that a fresh clone has a
// trend too. Where Git cannot tell them, or not all, a note says so.
func (g *gatherer) revisions(ctx context.Context, s *page.Section[page.Counts]) []history.Revision {
	r, err := openRepository(ctx, g.root)
	if err != nil {
		err = fmt.Errorf("what was pinned before cannot be told: %w", err)
		g.note(s, err)
		g.told = append(g.told, withoutPaths(err, g.root))
		return nil
	}
	if r.shallow {
		err := errors.New("this clone is shallow: what was pinned before its first commit is not in the trends\nhint: git fetch --unshallow")
		g.note(s, err)
		g.told = append(g.told, err)
	}
	revisions, broken, err := r.pinsOverTime(ctx)
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
func (r repository) pinsOverTime(ctx context.Context) (revisions []history.Revision, broken int, err error) {
	// Before the first commit there is nothing to tell.
	if _, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return nil, 0, nil
	}
	out, err := r.git(ctx, "log", "--max-count="+strconv.Itoa(mostRevisions), "--format=%H %ct", "--", budgetsFile)
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
	texts, err := r.contents(ctx, asked.String())
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

// contents returns the files that are asked for, one name a line, in one run of git;
// nil for one that is not there. The output is that of git-cat-file(1), BATCH OUTPUT.
func (r repository) contents(ctx context.Context, names string) ([][]byte, error) {
	var out, errOut bytes.Buffer
	err := tool.Command{
		Path: r.path, Args: []string{"cat-file", "--batch"}, Dir: r.root, Env: cleanenv.Tool(os.Environ()),
		Stdin: strings.NewReader(names), Stdout: &out, Stderr: &errOut,
	}.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s%w", errOut.String(), err)
	}
	var files [][]byte
	for out.Len() > 0 {
		head, err := out.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("git cat-file: got %q, want a whole line", head)
		}
		fields := strings.Fields(head)
		if len(fields) == 2 && fields[1] == "missing" {
			files = append(files, nil)
			continue
		}
		if len(fields) != 3 {
			return nil, fmt.Errorf("git cat-file: got %q, want a name, a type and a size", head)
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size < 0 || size >= out.Len() {
			return nil, fmt.Errorf("git cat-file: got size %q of %d bytes", fields[2], out.Len())
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(&out, text); err != nil {
			return nil, err
		}
		out.Next(1) // the line feed after it
		files = append(files, text)
	}
	return files, nil
}
