package valgrind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// recipeFile, in the installed tree, holds the text of its recipe.
const recipeFile = "recipe"

func (b bootstrap) final() string { return filepath.Join(b.dir, "valgrind") }

// recipe is the text of everything that decides what is built: when it differs
// from that of the installed tree, valgrind is built anew.
func recipe(r release) string {
	return fmt.Sprintf("valgrind %s\nplatform %s\nsha256 %s\n%sconfigure %s\n",
		r.version, platform(), r.sha256, describeEdits(), strings.Join(configureFlags(), " "))
}

// parts maps each file that is kept, by its place in the installed tree, to where
// it is built.
func parts() map[string]string {
	core := "vgpreload_core-" + platform() + ".so"
	callgrind := "callgrind-" + platform()
	return map[string]string{
		"bin/valgrind":                  "coregrind/valgrind",
		"libexec/valgrind/" + core:      "coregrind/" + core,
		"libexec/valgrind/" + callgrind: "callgrind/" + callgrind,
	}
}

// at describes the valgrind in an installed tree.
func at(tree string, r release) Valgrind {
	return Valgrind{
		Path:      filepath.Join(tree, "bin", "valgrind"),
		Version:   r.version,
		Lib:       filepath.Join(tree, "libexec", "valgrind"),
		Built:     true,
		FixedSeed: true,
	}
}

// installed returns the installed valgrind, if it is whole and was built by the
// recipe of an accepted release.
func (b bootstrap) installed() (Valgrind, bool) {
	text, err := os.ReadFile(filepath.Join(b.final(), recipeFile))
	if err != nil {
		return Valgrind{}, false
	}
	for place := range parts() {
		if _, err := os.Stat(filepath.Join(b.final(), place)); err != nil {
			return Valgrind{}, false
		}
	}
	for _, r := range b.releases {
		if string(text) == recipe(r) {
			return at(b.final(), r), true
		}
	}
	return Valgrind{}, false
}

// stage copies the parts from the built source to an installable tree.
func stage(source, tree string, r release) error {
	for place, built := range parts() {
		to := filepath.Join(tree, filepath.FromSlash(place))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := copyFile(filepath.Join(source, filepath.FromSlash(built)), to); err != nil {
			return err
		}
	}
	return writeSynced(filepath.Join(tree, recipeFile), strings.NewReader(recipe(r)), 0o666)
}

func copyFile(from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return writeSynced(to, file, 0o777)
}

// writeSynced writes a file and waits until it is on the disk: after a crash a
// renamed tree must not turn out to be empty.
func writeSynced(path string, from io.Reader, perm os.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// try counts a small program with a tree that is not installed yet.
func (b bootstrap) try(ctx context.Context, tree, work string) error {
	v := at(tree, release{})
	err := tool.Command{
		Path: v.Path,
		Args: []string{
			// No ~/.valgrindrc.
			"--command-line-only=yes",
			"--tool=callgrind",
			"--callgrind-out-file=" + filepath.Join(work, "callgrind.out"),
			// No pipes for a debugger in the temporary folder.
			"--vgdb=no",
			"/bin/true",
		},
		Env:     cleanenv.Tool(b.environ, v.Env()...),
		Log:     b.log(),
		Timeout: time.Minute,
	}.Run(ctx)
	if err != nil {
		return fmt.Errorf("%w\nvalgrind: build: what was built does not work", err)
	}
	return nil
}

// install puts the tree in its place in one step, even where another stands, which
// then stands where tree stood.
func install(tree, final string) error {
	err := os.Rename(tree, final)
	if err == nil || !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.EEXIST) {
		return err
	}
	err = unix.Renameat2(unix.AT_FDCWD, tree, unix.AT_FDCWD, final, unix.RENAME_EXCHANGE)
	if err == nil {
		return nil
	}
	// Some file systems cannot exchange. For a moment none is installed then.
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	return os.Rename(tree, final)
}
