package throughput

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A Placement says which processors are used, by their numbers.
type Placement struct {
	// Server is the one that all servers run on.
	Server int
	// Load are those for the load generator, to be used from the first on.
	Load []int
	// Siblings tells that server and load generator are threads of one core, since
	// there is no other.
	Siblings bool
}

// Shared tells that there is one processor for both.
func (p Placement) Shared() bool { return slices.Contains(p.Load, p.Server) }

// allowedCPUs returns the processors that this process may use.
func allowedCPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, os.NewSyscallError("sched_getaffinity", err)
	}
	var cpus []int
	for cpu := 0; len(cpus) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// siblingsOf returns the processors that share a core with cpu, itself included.
func siblingsOf(cpu int) []int {
	data, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu))
	if err != nil {
		return []int{cpu} // not every virtual machine tells
	}
	siblings, err := parseCPUList(strings.TrimSpace(string(data)))
	if err != nil {
		return []int{cpu}
	}
	return siblings
}

// place chooses from the allowed processors: the last for the servers, since the
// first handles most interrupts, and the others for the load, those last that share
// the server's core.
func place(allowed []int, siblings func(cpu int) []int) (Placement, error) {
	if len(allowed) == 0 {
		return Placement{}, errors.New("no processor is allowed")
	}
	server := allowed[len(allowed)-1]
	if len(allowed) == 1 {
		return Placement{Server: server, Load: []int{server}}, nil
	}
	near := siblings(server)
	var load []int
	for _, cpu := range allowed[:len(allowed)-1] {
		if !slices.Contains(near, cpu) {
			load = append(load, cpu)
		}
	}
	if load != nil {
		return Placement{Server: server, Load: load}, nil
	}
	return Placement{Server: server, Load: allowed[:len(allowed)-1], Siblings: true}, nil
}

// parseCPUList reads a list as the kernel writes it: "0-3,8" (cpuset(7), "List
// format").
func parseCPUList(text string) ([]int, error) {
	const most = 1 << 16
	var cpus []int
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 16)
		last, err2 := strconv.ParseUint(to, 10, 16)
		if err := errors.Join(err, err2); err != nil {
			return nil, fmt.Errorf("processors %q: %w", text, err)
		}
		if last < first || len(cpus)+int(last-first) >= most {
			return nil, fmt.Errorf("processors %q: %q is no range", text, part)
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, int(cpu))
		}
	}
	return cpus, nil
}

// A processorTime is how long a processor has been idle, and how long the hypervisor
// let it wait while it had work, since boot.
type processorTime struct{ idle, stolen time.Duration }

// processorTimes returns that of each processor.
func processorTimes() (map[int]processorTime, error) {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return nil, err
	}
	times, err := parseProcessors(data)
	if err != nil {
		return nil, fmt.Errorf("/proc/stat: %w", err)
	}
	return times, nil
}

// parseProcessors reads the cpuN lines of /proc/stat: the fourth and fifth number are
// the idle time, without and with input or output under way, the eighth is what was
// stolen (proc_stat(5)).
func parseProcessors(data []byte) (map[int]processorTime, error) {
	times := map[int]processorTime{}
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || fields[0] == "cpu" || !strings.HasPrefix(fields[0], "cpu") {
			continue
		}
		cpu, err := strconv.Atoi(strings.TrimPrefix(fields[0], "cpu"))
		if err != nil || len(fields) < 9 {
			return nil, fmt.Errorf("line %q: want cpuN and at least eight numbers", bytes.TrimSpace(line))
		}
		idle, err := strconv.ParseUint(fields[4], 10, 38)
		wait, err2 := strconv.ParseUint(fields[5], 10, 38)
		stolen, err3 := strconv.ParseUint(fields[8], 10, 38)
		if err := errors.Join(err, err2, err3); err != nil {
			return nil, fmt.Errorf("line %q: %w", bytes.TrimSpace(line), err)
		}
		times[cpu] = processorTime{idle: time.Duration(idle+wait) * statTick, stolen: time.Duration(stolen) * statTick}
	}
	if len(times) == 0 {
		return nil, errors.New("has no line for a processor")
	}
	return times, nil
}
