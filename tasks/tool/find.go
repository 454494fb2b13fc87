package tool

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/cleanenv"
)

// versionTimeout is far above what printing a version takes; only a program that
// waits for something (a terminal, a lock) reaches it.
const versionTimeout = 30 * time.Second

// Find returns the absolute path of the program called name, looked for in this
// process's PATH. The hint, when not empty, is a command that installs it.
func Find(name, hint string) (string, error) { return FindAny([]string{name}, hint) }

// FindAny is Find for a program that goes by several names: the first that is found
// counts. A name with a slash is a path.
func FindAny(names []string, hint string) (string, error) {
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err == nil && !filepath.IsAbs(path) {
			path, err = filepath.Abs(path)
		}
		if err == nil {
			return path, nil
		}
	}
	err := fmt.Errorf("%s: cannot be found on PATH", strings.Join(names, ", "))
	if hint != "" {
		err = fmt.Errorf("%w\nhint: %s", err, hint)
	}
	return "", err
}

// Version runs the program at path with args, which ask for its version, and
// returns the first line that is not blank of what it prints, on either stream.
func Version(ctx context.Context, path string, args ...string) (string, error) {
	var out bytes.Buffer
	err := Command{
		Path:    path,
		Args:    args,
		Env:     cleanenv.Tool(os.Environ()),
		Stdout:  &out,
		Stderr:  &out,
		Timeout: versionTimeout,
	}.Run(ctx)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSpace(line); line != "" {
			return line, nil
		}
	}
	return "", fmt.Errorf("%s: %s: printed no version", path, strings.Join(args, " "))
}
