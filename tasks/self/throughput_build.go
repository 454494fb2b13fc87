package self

import (
	"bytes"
	"context"
	"os"
	"strings"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/gocommand"
	"github.com/perfpin/perfpin/tasks/tool"
)

// serverCommand is the package of the server that is measured.
const serverCommand = "./server/cmd/perfpin-serve"

// openModule returns the go command in this module.
func openModule(ctx context.Context) (gocommand.Go, error) {
	root, err := gocommand.CurrentModule()
	if err != nil {
		return gocommand.Go{}, err
	}
	return gocommand.Open(ctx, root)
}

// serverCommit tells what the tree is, as far as git knows: the commit, and whether what
// the server is built from has been changed since.
func serverCommit(ctx context.Context, root string) string {
	head, err := git(ctx, root, "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "unknown" // an archive of the tree is no repository
	}
	changed, err := git(ctx, root, "status", "--porcelain", "--", "server", "go.mod", "go.sum")
	if err != nil || changed != "" {
		head += ", modified"
	}
	return head
}

func git(ctx context.Context, root string, args ...string) (string, error) {
	path, err := tool.Find("git", "apt-get install git")
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = tool.Command{Path: path, Args: args, Dir: root, Env: cleanenv.Tool(os.Environ()), Stdout: &out}.Run(ctx)
	return strings.TrimSpace(out.String()), err
}
