package tasks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/perfpin/perfpin/tasks/git"
)

// commitOf tells the commit of the tree that the module is in, "" where Git cannot
// tell one, and whether anything has been changed or added since. What this package
// generates is no change.
func commitOf(ctx context.Context, root string) (commit string, dirty bool) {
	r, err := git.Open(ctx, root)
	if err != nil {
		return "", false
	}
	// The module may need files of the repository that are outside of it.
	return r.Head(ctx, ":(top)", ":(exclude)target", ":(exclude)mage_output_file.go")
}

// withoutPaths returns the error with paths that differ between machines taken out
// of its text.
func withoutPaths(err error, root string) error {
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(err.Error(), root+string(filepath.Separator), "")
	if home, homeErr := os.UserHomeDir(); homeErr == nil && filepath.Dir(home) != home {
		text = strings.ReplaceAll(text, home+string(filepath.Separator), "~/")
	}
	return errors.New(text)
}
