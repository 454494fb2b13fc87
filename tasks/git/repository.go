// Package git asks Git about the repository that a module is in.
package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// A Repository is the Git repository that holds a module.
type Repository struct {
	path string // of the git command
	// Root is the module's folder, Prefix its path below the worktree's root: "" or
	// with a slash at its end.
	Root, Prefix string
	// Shallow tells that commits are missing, as in most CI jobs.
	Shallow bool
}

// Open finds the repository of the module in root. It is an error where there is none,
// or no git command.
func Open(ctx context.Context, root string) (Repository, error) {
	path, err := tool.Find("git", "apt-get install git")
	if err != nil {
		return Repository{}, err
	}
	r := Repository{path: path, Root: root}
	out, err := r.Run(ctx, "rev-parse", "--is-shallow-repository", "--show-prefix")
	if err != nil {
		return r, fmt.Errorf("%s: is in no Git repository that can be read: %w", root, err)
	}
	shallow, prefix, _ := strings.Cut(out, "\n")
	r.Shallow, r.Prefix = shallow == "true", strings.TrimSuffix(prefix, "\n")
	return r, nil
}

// Run runs git in the module's folder and returns what it prints. Nothing like
// GIT_DIR, which is set where a hook runs, reaches it.
func (r Repository) Run(ctx context.Context, args ...string) (string, error) {
	var out, errOut bytes.Buffer
	err := tool.Command{
		Path: r.path, Args: args, Dir: r.Root,
		// Nothing that a question needs may wait for the user's own git, or rewrite the index.
		Env:    cleanenv.Tool(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"),
		Stdout: &out, Stderr: &errOut,
	}.Run(ctx)
	if err != nil {
		return "", fmt.Errorf("%s%w", errOut.String(), err)
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// Head tells the commit that is checked out, "" where there is none yet, and whether
// anything below the paths, which are git's pathspecs, has been changed or added since.
func (r Repository) Head(ctx context.Context, paths ...string) (commit string, dirty bool) {
	commit, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return "", false
	}
	changes, err := r.Run(ctx, append([]string{"status", "--porcelain", "--"}, paths...)...)
	return commit, err != nil || changes != ""
}

// Contents returns the files that are asked for, one name a line, in one run of git;
// nil for one that is not there. The output is that of git-cat-file(1), BATCH OUTPUT.
func (r Repository) Contents(ctx context.Context, names string) ([][]byte, error) {
	var out, errOut bytes.Buffer
	err := tool.Command{
		Path: r.path, Args: []string{"cat-file", "--batch"}, Dir: r.Root, Env: cleanenv.Tool(os.Environ()),
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
