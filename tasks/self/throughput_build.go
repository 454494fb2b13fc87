package self

import (
	"context"

	"github.com/perfpin/perfpin/tasks/git"
	"github.com/perfpin/perfpin/tasks/gocommand"
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

// serverCommit tells what the tree is, as far as Git knows: the commit, and whether what
// the server is built from has been changed since.
func serverCommit(ctx context.Context, root string) string {
	r, err := git.Open(ctx, root)
	if err != nil {
		return "unknown" // an archive of the tree is no repository
	}
	head, changed := r.Head(ctx, "server", "go.mod", "go.sum")
	if head == "" {
		return "unknown"
	}
	short := head[:min(12, len(head))]
	if changed {
		short += ", modified"
	}
	return short
}
