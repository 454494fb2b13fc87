package valgrind

import (
	"archive/tar"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
)

// maxUnpacked bounds what an archive may unpack to, in bytes; 3.27.1 has 99 MB.
const maxUnpacked = 1 << 30

// unpack unpacks a .tar.bz2 into dir, an empty folder.
func unpack(ctx context.Context, archive, dir string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if err := unpackTar(ctx, bzip2.NewReader(file), dir); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(archive), err)
	}
	return nil
}

// unpackTar refuses anything but files and folders below dir: os.Root keeps even a
// hostile archive inside.
func unpackTar(ctx context.Context, archive io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	entries := tar.NewReader(archive)
	for left := int64(maxUnpacked); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		// A sparse file takes more room than it takes in the archive.
		if left -= header.Size; left < 0 {
			return fmt.Errorf("%s: unpacks to more than %d bytes", header.Name, maxUnpacked)
		}
		if err := unpackEntry(root, header, entries); err != nil {
			return err
		}
	}
}

func unpackEntry(root *os.Root, header *tar.Header, body io.Reader) error {
	name := path.Clean(header.Name)
	switch header.Typeflag {
	case tar.TypeXGlobalHeader:
		return nil
	case tar.TypeDir:
		return root.MkdirAll(name, 0o777)
	case tar.TypeReg:
	default:
		return fmt.Errorf("%s: entries of type %q are refused", header.Name, header.Typeflag)
	}
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	perm := os.FileMode(header.Mode)&0o111 | 0o666
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, body)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	// With other times make would want to regenerate configure by autoconf.
	return root.Chtimes(name, header.ModTime, header.ModTime)
}
