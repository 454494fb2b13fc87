package tasks_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestInit sets perfpin up in modules that look nothing alike, as one who has never
// seen it would: from a module proxy, which serves the working tree.
func TestInit(t *testing.T) {
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	compileMagefile(t, repository)
	proxy := t.TempDir()
	version := publish(t, repository, proxy)
	cache := newModuleCache(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "init"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			if err := setUp(env, repository, filepath.Join(env.WorkDir, "bin", "mage")); err != nil {
				return err
			}
			env.Setenv("GOPROXY", strings.Join([]string{
				"file://" + proxy,
				// What this machine has already, without its network.
				"file://" + filepath.Join(env.Getenv("GOMODCACHE"), "cache", "download"),
				env.Getenv("GOPROXY"),
			}, ","))
			env.Setenv("GOMODCACHE", cache)
			env.Setenv("GOSUMDB", "off")
			// Packages are then built once, wherever the module cache is.
			env.Setenv("GOFLAGS", "-trimpath")
			env.Setenv("VERSION", version)
			return nil
		},
		Cmds: commands(),
	})
}

// newModuleCache returns a folder that is emptied by the go command, which makes what
// is in it read-only.
func newModuleCache(t *testing.T) string {
	t.Helper()
	cache := t.TempDir()
	t.Cleanup(func() {
		cmd := exec.Command("go", "clean", "-modcache")
		cmd.Env = append(os.Environ(), "GOMODCACHE="+cache)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go clean -modcache: %v\n%s", err, out)
		}
	})
	return cache
}

// publish makes proxy a file tree of the module proxy protocol
// (https://go.dev/ref/mod#goproxy-protocol) with the working tree as the only version,
// whose name follows from the contents.
func publish(t *testing.T, repository, proxy string) (version string) {
	t.Helper()
	const module = "github.com/perfpin/perfpin"
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = repository
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	contents := make(map[string][]byte)
	var names []string
	sum := sha256.New()
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(repository, name))
		if os.IsNotExist(err) || err == nil && !info.Mode().IsRegular() || name == "mage_output_file.go" {
			// Deleted, and not committed yet; or no file of a module; or there only while
			// mage compiles.
			continue
		}
		data, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			t.Fatal(err)
		}
		contents[name], names = data, append(names, name)
		fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
	}
	version = fmt.Sprintf("v0.0.1-test.%x", sum.Sum(nil)[:6])
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, name := range names {
		file, err := w.Create(module + "@" + version + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write(contents[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(proxy, module, "@v")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": fmt.Appendf(nil, `{"Version": %q, "Time": "2026-01-01T00:00:00Z"}`, version),
		version + ".mod":  contents["go.mod"],
		version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return version
}
