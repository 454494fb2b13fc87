package budget

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxLinks bounds a chain of symbolic links, as Linux does (path_resolution(7)).
const maxLinks = 40

// staleAfter is the age at which a temporary file is taken for one that a killed run
// has left: writing one takes milliseconds.
const staleAfter = time.Hour

// Replace is Write, unless path no longer holds what f was read from: somebody has
// written there meanwhile, and that would be lost. A file that is not there counts
// as the template.
func (f *File) Replace(path string, data []byte) error {
	now, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		now, err = Template(), nil
	}
	if err != nil {
		return fmt.Errorf("%s: write: %w", f.Name, err)
	}
	if !bytes.Equal(now, f.data) {
		return fmt.Errorf("%s: not written: has been changed since it was read\nhint: go tool mage pin", f.Name)
	}
	return Write(path, data)
}

// Write replaces the file at path with data, so that whoever reads it, also
// after a crash, finds the old text or the new: a temporary file beside it,
// fsync, rename, fsync of the directory. The file keeps its mode; a new one
// gets 0644. A symbolic link stays, and its target is replaced. After an error
// the old file is untouched and no temporary file is left, unless the error
// says that only the last fsync failed.
func Write(path string, data []byte) error {
	target, err := followLinks(path)
	if err != nil {
		return fmt.Errorf("%s: write: %w", path, err)
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(target); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s: write: is not a regular file", path)
		}
		mode = info.Mode().Perm()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: write: %w", path, err)
	}
	directory := filepath.Dir(target)
	if err := removeStale(directory, filepath.Base(target)); err != nil {
		return fmt.Errorf("%s: write: %w", path, err)
	}
	temporary, err := writeTemporary(directory, filepath.Base(target), data, mode)
	if err != nil {
		return fmt.Errorf("%s: write: %w", path, err)
	}
	if err := os.Rename(temporary, target); err != nil {
		return errors.Join(fmt.Errorf("%s: write: %w", path, err), os.Remove(temporary))
	}
	if err := syncDirectory(directory); err != nil {
		return fmt.Errorf("%s: written, but fsync of its directory failed: %w", path, err)
	}
	return nil
}

// followLinks returns the path that a chain of symbolic links ends at. Unlike
// filepath.EvalSymlinks it lets the last target be absent.
func followLinks(path string) (string, error) {
	for range maxLinks {
		link, err := os.Readlink(path)
		if err != nil {
			// Not a link, or nothing there yet.
			return path, nil
		}
		if !filepath.IsAbs(link) {
			// Not Join: it would take "dir/.." away although dir may be a link.
			link = filepath.Dir(path) + string(filepath.Separator) + link
		}
		path = link
	}
	return "", fmt.Errorf("more than %d symbolic links", maxLinks)
}

func temporaryPattern(base string) string { return "." + base + ".*.tmp" }

// removeStale removes the temporary files of runs that were killed long ago.
func removeStale(directory, base string) error {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		if ok, err := filepath.Match(temporaryPattern(base), entry.Name()); err != nil || !ok {
			continue
		}
		info, err := entry.Info()
		if err != nil || time.Since(info.ModTime()) < staleAfter {
			continue
		}
		errs = append(errs, os.Remove(filepath.Join(directory, entry.Name())))
	}
	return errors.Join(errs...)
}

// writeTemporary writes a file that is complete on disk when it returns.
func writeTemporary(directory, base string, data []byte, mode fs.FileMode) (path string, err error) {
	file, err := os.CreateTemp(directory, temporaryPattern(base))
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(data)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	return file.Name(), errors.Join(err, file.Close())
}

func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
