package throughput

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/perfpin/perfpin/tasks/tool"
)

// subjectVersion asks the server that is compared for its version.
func subjectVersion(ctx context.Context, path string) (string, error) {
	return tool.Version(ctx, path, "-version")
}

// readHost fills in what the machine is.
func (h *Header) readHost() error {
	info, err := os.ReadFile("/proc/cpuinfo")
	release, err2 := os.ReadFile("/etc/os-release")
	if errors.Is(err2, os.ErrNotExist) {
		release, err2 = os.ReadFile("/usr/lib/os-release") // os-release(5)
	}
	kernel, err3 := os.ReadFile("/proc/sys/kernel/osrelease")
	if err := errors.Join(err, err2, err3); err != nil {
		return fmt.Errorf("what this machine is: %w", err)
	}
	h.CPU = findValue(string(info), "model name", ":")
	h.OS = strings.Trim(findValue(string(release), "PRETTY_NAME", "="), `"'`)
	h.Kernel = strings.TrimSpace(string(kernel))
	return nil
}

// findValue returns the value of the first line "name separator value", or
// "unknown": not every processor tells its model.
func findValue(text, name, separator string) string {
	for line := range strings.Lines(text) {
		key, value, found := strings.Cut(line, separator)
		if found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
