package tasks

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// compilerSeparator stands between the build tags and the C compiler in the
// platform's tags.
const compilerSeparator = " cc="

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
