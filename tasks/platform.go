package tasks

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/gobench"
	"github.com/perfpin/perfpin/tasks/tool"
)

// identify fills in what the counts depend on.
func (s *suite) identify(ctx context.Context) error {
	cpu, err := cpuModel()
	if err != nil {
		return err
	}
	pinned := s.file.Pinned
	s.here = budget.Platform{
		Go: s.toolchain.Version, Target: s.toolchain.Target, CPU: cpu,
		Seed: seed(pinned.Seed, s.benches, s.counter.Callgrind.FixedSeed),
		Tags: *s.selection.tags, Env: s.selection.pass, Valgrind: s.counter.Callgrind.Version,
	}
	// A program that needs no C library costs the same whichever there is.
	s.here.Libc = cmp.Or(pinned.Libc, budget.Static)
	if slices.ContainsFunc(s.benches, isDynamic) {
		s.counter.Libc = hostLibc(ctx)
		s.here.Libc = s.counter.Libc
	}
	if slices.ContainsFunc(s.benches, isCgo) {
		compiler, err := cCompiler(ctx)
		if err != nil {
			return err
		}
		s.here.Tags += budget.CompilerSeparator + compiler
	} else if _, compiler, pinned := strings.Cut(pinned.Tags, budget.CompilerSeparator); pinned {
		s.here.Tags += budget.CompilerSeparator + compiler
	}
	return nil
}

// isDynamic tells that what is counted needs a C library, and isCgo that a C
// compiler had a part in it. Neither is known of what could not be built.
func isDynamic(b gobench.Bench) bool { return b.Binary.Path != "" && b.Err == nil && !b.Static() }

func isCgo(b gobench.Bench) bool {
	return b.Binary.Path != "" && b.Binary.Package.Cgo && !isForeign(b)
}

// isForeign tells that what is counted is a program that was not built here.
func isForeign(b gobench.Bench) bool { return b.Command != nil && b.Command.Package == "" }

func isCommand(b gobench.Bench) bool { return b.Command != nil }

// seed returns where the randomness of the counted programs comes from. A benchmark
// has a fixed one compiled in. A whole command takes it from the bytes of AT_RANDOM,
// and which of its threads runs first from the host, unless valgrind was built here.
// Where no command is counted, it does not matter which.
func seed(pinned string, benches []gobench.Bench, fixed bool) string {
	switch {
	case !slices.ContainsFunc(benches, isCommand):
		return cmp.Or(pinned, "fixed")
	case fixed:
		return "fixed"
	default:
		return "random"
	}
}

// cpuModel returns the model of processor that valgrind shows to programs. On
// amd64 it is one of three, chosen by what the host has (VG_(machine_get_VexArchInfo)
// in coregrind/m_machine.c and the CPUID helpers of VEX/priv/guest_amd64_helpers.c);
// elsewhere it is the host's.
func cpuModel() (string, error) {
	if runtime.GOARCH != "amd64" {
		return runtime.GOARCH, nil
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(info) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if strings.TrimSpace(string(name)) != "flags" {
			continue
		}
		has := make(map[string]bool)
		for flag := range strings.FieldsSeq(string(value)) {
			has[flag] = true
		}
		for _, model := range []string{"avx2", "avx"} {
			if has[model] {
				return model, nil
			}
		}
		return "sse3", nil
	}
	return "", fmt.Errorf("/proc/cpuinfo: no line of flags")
}

// hostLibc returns the host's C library, as "glibc 2.36".
func hostLibc(ctx context.Context) string {
	getconf, err := tool.Find("getconf", "")
	if err == nil {
		version, err := tool.Version(ctx, getconf, "GNU_LIBC_VERSION")
		if err == nil {
			return version
		}
	}
	return "unknown libc"
}

// cCompiler returns the name and version of the C compiler that cgo uses.
func cCompiler(ctx context.Context) (string, error) {
	cc, err := tool.Find("gcc", "apt-get install gcc")
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = tool.Command{
		Path: cc, Args: []string{"-dumpfullversion"}, Env: cleanenv.Tool(os.Environ()), Stdout: &out,
	}.Run(ctx)
	return "gcc-" + strings.TrimSpace(out.String()), err
}
