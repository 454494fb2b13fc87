package gobench

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Scratch is the folder of one measured process. Its path has the same length
// everywhere, because paths stand on the process's stack and in its strings: the
// user's TMPDIR would move counts.
type Scratch struct{ Dir string }

// NewScratch makes a folder that nobody else uses.
func NewScratch() (Scratch, error) {
	const length = len("/var/tmp/perfpin-0123456789abcdef")
	var errs []error
	for _, parent := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
		dir := parent + "/perfpin-"
		random := make([]byte, length)
		rand.Read(random) // never fails
		dir += hex.EncodeToString(random)[:length-len(dir)]
		if err := os.Mkdir(dir, 0o700); err != nil {
			errs = append(errs, err)
			continue
		}
		if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
			return Scratch{}, errors.Join(err, os.RemoveAll(dir))
		}
		return Scratch{dir}, nil
	}
	return Scratch{}, fmt.Errorf("scratch folder: %w", errors.Join(errs...))
}

// Tmp is what the process gets as TMPDIR.
func (s Scratch) Tmp() string { return filepath.Join(s.Dir, "tmp") }

// Join returns the path of a file in the folder.
func (s Scratch) Join(name string) string { return filepath.Join(s.Dir, name) }

// Program makes the program at path reachable in the folder, so that argv[0] has
// the same length everywhere, and returns where.
func (s Scratch) Program(path string) (string, error) {
	link := s.Join("bench.test")
	return link, os.Symlink(path, link)
}

// Copy puts a program itself, under a name of the caller's, into the folder, and
// returns where. A command can tell a link's target from its name, so a link would
// not make that as long everywhere.
func (s Scratch) Copy(path, name string) (string, error) {
	copied := s.Join(name)
	if err := os.Link(path, copied); err == nil {
		return copied, nil
	}
	from, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer from.Close()
	to, err := os.OpenFile(copied, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, from)
	return copied, errors.Join(err, to.Close())
}

// Strip removes the folder's path from a text.
func (s Scratch) Strip(text string) string { return strings.ReplaceAll(text, s.Dir+"/", "") }

// Remove removes the folder and all that the process left in it, folders that it
// made read-only too.
func (s Scratch) Remove() error {
	if err := os.RemoveAll(s.Dir); err == nil {
		return nil
	}
	filepath.WalkDir(s.Dir, func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() {
			// An error shows in the second attempt.
			os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(s.Dir)
}
