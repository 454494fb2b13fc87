package valgrind

import (
	"archive/tar"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestUnpackRefuses(t *testing.T) {
	for name, header := range map[string]tar.Header{
		"a path above":       {Name: "../outside", Typeflag: tar.TypeReg},
		"a hidden way above": {Name: "a/../../outside", Typeflag: tar.TypeReg},
		"an absolute path":   {Name: "/tmp/outside", Typeflag: tar.TypeReg},
		"a folder above":     {Name: "../outside", Typeflag: tar.TypeDir},
		"a symbolic link":    {Name: "link", Linkname: "/etc", Typeflag: tar.TypeSymlink},
		"a hard link":        {Name: "link", Linkname: "/etc/passwd", Typeflag: tar.TypeLink},
		"a device":           {Name: "null", Typeflag: tar.TypeChar},
	} {
		dir := filepath.Join(t.TempDir(), "in")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := unpackTar(t.Context(), archiveOf(t, header), dir); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Lstat(filepath.Join(dir, "..", "outside")); err == nil {
			t.Errorf("%s: written outside", name)
		}
	}
	twice := tar.Header{Name: "x", Typeflag: tar.TypeReg}
	if err := unpackTar(t.Context(), archiveOf(t, twice, twice), t.TempDir()); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file twice: got %v", err)
	}
}

func TestUnpackBoundsTheRoom(t *testing.T) {
	var b bytes.Buffer
	err := tar.NewWriter(&b).WriteHeader(&tar.Header{Name: "x", Typeflag: tar.TypeReg, Size: maxUnpacked + 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	err = unpackTar(t.Context(), &b, dir)
	if entries, _ := os.ReadDir(dir); err == nil || len(entries) != 0 {
		t.Errorf("got %v, and %d files", err, len(entries))
	}
}

func archiveOf(t *testing.T, headers ...tar.Header) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, header := range headers {
		if err := w.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

// FuzzUnpackTar demands that whatever an archive holds is unpacked below the
// folder, or refused.
func FuzzUnpackTar(f *testing.F) {
	for _, name := range []string{"a/b", "../x", "/x", "a/../../x", ""} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := w.WriteHeader(&tar.Header{Name: name, Size: 2, Typeflag: tar.TypeReg}); err != nil {
			f.Fatal(err)
		}
		if _, err := w.Write([]byte("hi")); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, archive []byte) {
		outer := t.TempDir()
		inner := filepath.Join(outer, "in")
		if err := os.Mkdir(inner, 0o777); err != nil {
			t.Fatal(err)
		}
		_ = unpackTar(t.Context(), bytes.NewReader(archive), inner)
		entries, err := os.ReadDir(outer)
		if err != nil || len(entries) != 1 {
			t.Errorf("beside the folder: %v, %v", entries, err)
		}
	})
}
