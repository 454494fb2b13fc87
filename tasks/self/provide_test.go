package self

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestProvide runs the scripts in testdata/provide, with a fake apt-get.
func TestProvide(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "provide"),
		Setup: func(env *testscript.Env) error {
			provide, err := exec.LookPath("provide")
			if err != nil {
				return err
			}
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("PATH", filepath.Dir(provide)+string(os.PathListSeparator)+filepath.Join(env.WorkDir, "bin"))
			return nil
		},
	})
}

// runProvide is the command provide, for "root" or anybody else.
func runProvide() {
	if err := provide(context.Background(), os.Args[1] == "root"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
