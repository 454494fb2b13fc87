package throughput

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The number of a process's processor-time clock is made from its pid: the kernel
// takes the complement, shifted, with CPUCLOCK_SCHED in the low bits
// (include/linux/posix-timers_types.h, MAKE_PROCESS_CPUCLOCK); it is what
// clock_getcpuclockid(3) returns.
const (
	clockShift = 3
	clockSched = 2
)

// cpuTime returns the processor time that a process has used so far, all threads
// together, those that have ended too. What a thread that runs right now has used
// since the last tick of the kernel, some milliseconds, is missing: so it is asked
// of servers that have no work.
func cpuTime(pid int) (time.Duration, error) {
	var at unix.Timespec
	err := unix.ClockGettime(int32(^pid<<clockShift|clockSched), &at)
	if err == nil {
		return time.Duration(at.Nano()), nil
	}
	spent, statErr := cpuTimeStat(pid)
	if statErr != nil {
		return 0, fmt.Errorf("processor time of process %d: %w", pid, errors.Join(err, statErr))
	}
	return spent, nil
}

// statTick is the unit of times in /proc: sysconf(_SC_CLK_TCK), which is 100 a
// second on every architecture that Go supports.
const statTick = time.Second / 100

// cpuTimeStat is cpuTime for where other processes' clocks may not be read.
func cpuTimeStat(pid int) (time.Duration, error) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	s, err := parseStat(data)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	if s.dead {
		return 0, fmt.Errorf("%s: the process has ended", path)
	}
	return s.cpu, nil
}

// A procStat is what this package reads of /proc/PID/stat, see
// proc_pid_stat(5).
type procStat struct {
	dead   bool
	parent int
	cpu    time.Duration
}

// parseStat reads the line of /proc/PID/stat. The second field, the program's name
// in parentheses, may itself hold spaces and parentheses.
func parseStat(line []byte) (procStat, error) {
	end := bytes.LastIndexByte(line, ')')
	if end < 0 {
		return procStat{}, fmt.Errorf("%q has no program name", line)
	}
	const first = 3 // the number, in the man page, of fields[0]
	fields := strings.Fields(string(line[end+1:]))
	if len(fields) <= 15-first {
		return procStat{}, fmt.Errorf("%q has %d fields, want at least 15", line, len(fields)+first-1)
	}
	parent, err := strconv.Atoi(fields[4-first])
	user, err2 := strconv.ParseUint(fields[14-first], 10, 32)
	system, err3 := strconv.ParseUint(fields[15-first], 10, 32)
	if err := errors.Join(err, err2, err3); err != nil {
		return procStat{}, err
	}
	state := fields[3-first]
	return procStat{
		dead:   state == "Z" || state == "X",
		parent: parent,
		cpu:    time.Duration(user+system) * statTick,
	}, nil
}

// children returns the living children of a process.
func children(pid int) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var found []int
	for _, entry := range entries {
		child, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		data, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it has ended since the listing
		}
		if s, err := parseStat(data); err == nil && s.parent == pid && !s.dead {
			found = append(found, child)
		}
	}
	return found, nil
}

// peakMemory returns the most resident memory that a process has had, in bytes.
func peakMemory(pid int) (int64, error) {
	path := fmt.Sprintf("/proc/%d/status", pid)
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if value, found := strings.CutPrefix(line, "VmHWM:"); found {
			n, err := parseBytes(strings.TrimSpace(value))
			if err != nil {
				return 0, fmt.Errorf("%s: VmHWM: %w", path, err)
			}
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s: has no VmHWM", path)
}
