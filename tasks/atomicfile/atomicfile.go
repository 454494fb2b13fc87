// Package atomicfile writes generated files. A reader finds the old contents or the
// new. A run that is killed meanwhile may leave a file .new-* beside them.
package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes the file and makes its folder where there is none. The contents are
// not forced to disk: what is generated can be made again.
func Write(path string, data []byte) error {
	if err := write(path, data); err != nil {
		return fmt.Errorf("%s: cannot be written: %w", path, cause(err))
	}
	return nil
}

func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// cause leaves the name of the temporary file out, which is of no use to anybody.
func cause(err error) error {
	var onPath *fs.PathError
	if errors.As(err, &onPath) {
		return onPath.Err
	}
	var onRename *os.LinkError
	if errors.As(err, &onRename) {
		return onRename.Err
	}
	return err
}

// Update is Write, except that a file that has these contents already keeps its
// time and is not touched.
func Update(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return Write(path, data)
}
