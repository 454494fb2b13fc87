// Package machine tells on what a measurement was taken, in words that may be
// published: no name of the host is among them.
package machine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// A Machine is what a measurement was taken on. A member is "" or 0 where it is not
// known.
type Machine struct {
	CPU        string `json:"cpu"`        // the processor's model, as /proc/cpuinfo has it
	Processors int    `json:"processors"` // that the process may use
	Kernel     string `json:"kernel"`     // "Linux 6.1.0-18-amd64"
}

// Here returns this machine. What the system does not tell stays empty: proc(5) is
// Linux's, and not every processor tells its model.
func Here() Machine {
	m := Machine{Processors: runtime.NumCPU()}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		m.CPU = findValue(string(info), "model name", ":")
	}
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err == nil {
		m.Kernel = "Linux " + strings.TrimSpace(string(release))
	}
	return m
}

// OS returns the operating system's name and version, as os-release(5) has it:
// "Debian GNU/Linux 12 (bookworm)"; "" where there is none.
func OS() string {
	release, err := os.ReadFile("/etc/os-release")
	if errors.Is(err, os.ErrNotExist) {
		release, err = os.ReadFile("/usr/lib/os-release")
	}
	if err != nil {
		return ""
	}
	return strings.Trim(findValue(string(release), "PRETTY_NAME", "="), `"'`)
}

// findValue returns the value of the first line "name separator value". All processors
// have the same model on nearly every machine.
func findValue(text, name, separator string) string {
	for line := range strings.Lines(text) {
		key, value, found := strings.Cut(line, separator)
		if found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// String is "Intel(R) Xeon(R), 2 processors, Linux 6.1.0".
func (m Machine) String() string {
	var parts []string
	if m.CPU != "" {
		parts = append(parts, m.CPU)
	}
	switch {
	case m.Processors == 1:
		parts = append(parts, "1 processor")
	case m.Processors > 1:
		parts = append(parts, fmt.Sprintf("%d processors", m.Processors))
	}
	if m.Kernel != "" {
		parts = append(parts, m.Kernel)
	}
	return strings.Join(parts, ", ")
}
