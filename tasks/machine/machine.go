// Package machine tells on what a measurement was taken, in words that may be
// published: no name of the host is among them.
package machine

import (
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
		m.CPU = model(string(info))
	}
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err == nil {
		m.Kernel = "Linux " + strings.TrimSpace(string(release))
	}
	return m
}

// model returns the first processor's model. All have the same on nearly every machine.
func model(info string) string {
	for line := range strings.Lines(info) {
		name, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(name) == "model name" {
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
