package self

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// A build compiles programs of this module.
type build struct {
	goTool, root, version string
	env                   []string
}

func openBuild(ctx context.Context) (*build, error) {
	goTool, err := tool.Find("go", "apt-get install golang-go")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	query := tool.Command{
		Path: goTool, Args: []string{"env", "-json"}, Env: cleanenv.Query(os.Environ()), Stdout: &out,
	}
	if err := query.Run(ctx); err != nil {
		return nil, err
	}
	goenv := map[string]string{}
	if err := json.Unmarshal(out.Bytes(), &goenv); err != nil {
		return nil, fmt.Errorf("go env -json: %w", err)
	}
	if goenv["GOMOD"] == "" || goenv["GOMOD"] == os.DevNull {
		return nil, errors.New("go env GOMOD: no go.mod in this folder or above it")
	}
	return &build{
		goTool: goTool, root: filepath.Dir(goenv["GOMOD"]), version: goenv["GOVERSION"],
		env: cleanenv.Build(os.Environ(), goenv, nil),
	}, nil
}

// compile builds the program of a package.
func (b *build) compile(ctx context.Context, output, pkg string) error {
	return tool.Command{
		Path: b.goTool, Args: []string{"build", "-o", output, pkg}, Dir: b.root, Env: b.env,
	}.Run(ctx)
}

// commit tells what the tree is, as far as git knows: the commit, and whether what
// the server is built from has been changed since.
func (b *build) commit(ctx context.Context) string {
	head, err := b.git(ctx, "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "unknown" // an archive of the tree is no repository
	}
	changed, err := b.git(ctx, "status", "--porcelain", "--", "server", "go.mod", "go.sum")
	if err != nil || changed != "" {
		head += ", modified"
	}
	return head
}

func (b *build) git(ctx context.Context, args ...string) (string, error) {
	git, err := tool.Find("git", "apt-get install git")
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = tool.Command{Path: git, Args: args, Dir: b.root, Env: cleanenv.Tool(os.Environ()), Stdout: &out}.Run(ctx)
	return strings.TrimSpace(out.String()), err
}
