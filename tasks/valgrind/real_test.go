package valgrind_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
	"github.com/perfpin/perfpin/tasks/valgrind"
)

const roleVariable = "PERFPIN_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == "seed" {
		if err := printSeed(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// printSeed prints the bytes that AT_RANDOM points at in this process, in
// hexadecimal. The run time has by then replaced them with others that follow from
// them, in case a C library wants random bytes too.
func printSeed() error {
	const atRandom = 25 // getauxval(3); <linux/auxvec.h>
	auxv, err := os.ReadFile("/proc/self/auxv")
	if err != nil {
		return err
	}
	for ; len(auxv) >= 16; auxv = auxv[16:] {
		if binary.NativeEndian.Uint64(auxv) != atRandom {
			continue
		}
		memory, err := os.Open("/proc/self/mem")
		if err != nil {
			return err
		}
		seed := make([]byte, 16)
		_, err = memory.ReadAt(seed, int64(binary.NativeEndian.Uint64(auxv[8:])))
		fmt.Printf("%x\n", seed)
		return err
	}
	return fmt.Errorf("no AT_RANDOM")
}

// TestRealValgrind uses the module's own valgrind, and builds it when missing.
func TestRealValgrind(t *testing.T) {
	tools := filepath.Join("..", "..", "target", "tools")
	v, err := valgrind.Ensure(t.Context(), tools, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !v.Built || !v.FixedSeed {
		t.Fatalf("it is not built here: %v", v.Why)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The tree may stand anywhere: a cache of CI puts it elsewhere, too.
	moved := filepath.Join(t.TempDir(), "moved away")
	if err := os.CopyFS(moved, os.DirFS(filepath.Dir(filepath.Dir(v.Path)))); err != nil {
		t.Fatal(err)
	}
	elsewhere := v
	elsewhere.Path = filepath.Join(moved, "bin", "valgrind")
	elsewhere.Lib = filepath.Join(moved, "libexec", "valgrind")
	var seeds []string
	for _, v := range []valgrind.Valgrind{v, elsewhere} {
		profile := filepath.Join(t.TempDir(), "callgrind.out")
		var out bytes.Buffer
		err := tool.Command{
			Path:   v.Path,
			Args:   []string{"--command-line-only=yes", "--tool=callgrind", "--vgdb=no", "--callgrind-out-file=" + profile, self},
			Env:    cleanenv.Measured(t.TempDir(), append(v.Env(), roleVariable+"=seed")),
			Stdout: &out,
		}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, out.String())
		if data, err := os.ReadFile(profile); err != nil || !bytes.Contains(data, []byte("\ntotals: ")) {
			t.Errorf("%s: no profile: %v", v.Path, err)
		}
	}
	var native bytes.Buffer
	err = tool.Command{Path: self, Env: []string{roleVariable + "=seed"}, Stdout: &native}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(seeds[0]) != 33 || seeds[0] != seeds[1] || seeds[0] == native.String() {
		t.Errorf("the seeds are %q, and %q without valgrind", seeds, native.String())
	}
}
