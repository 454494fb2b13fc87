package tool_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/perfpin/perfpin/tasks/tool"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if _, err := tool.Find("mytool", "apt-get install mytool"); err == nil ||
		err.Error() != "mytool: cannot be found on PATH\nhint: apt-get install mytool" {
		t.Errorf("got %v", err)
	}
	path := filepath.Join(dir, "mytool")
	script := "#!/bin/sh\necho\necho \" mytool $1 v$#\" >&2\necho more\n"
	if err := os.WriteFile(path, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	found, err := tool.Find("mytool", "")
	if err != nil || found != path {
		t.Errorf("got %q, %v", found, err)
	}
	version, err := tool.Version(t.Context(), found, "-V")
	if err != nil || version != "mytool -V v1" {
		t.Errorf("got %q, %v", version, err)
	}
}
