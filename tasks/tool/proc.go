package tool

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// stat is what this package reads of /proc/PID/stat, see proc_pid_stat(5).
type stat struct {
	state  byte
	parent int
	group  int
	start  string // clock ticks since boot: with the pid, names one process for good
	rss    int64  // pages
}

func (s stat) dead() bool { return s.state == 'Z' || s.state == 'X' }

func readStat(pid int) (stat, error) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	data, err := os.ReadFile(path)
	if err != nil {
		return stat{}, err
	}
	s, err := parseStat(data)
	if err != nil {
		return stat{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// parseStat reads one line of /proc/PID/stat. The second field, the program's
// name in parentheses, may itself hold spaces and parentheses, so that counting
// begins behind the last one.
func parseStat(data []byte) (stat, error) {
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return stat{}, fmt.Errorf("%q has no program name", data)
	}
	const first = 3 // the number, in the man page, of fields[0]
	fields := strings.Fields(string(data[end+1:]))
	if len(fields) <= 24-first {
		return stat{}, fmt.Errorf("%q has %d fields, want at least 24", data, len(fields)+first-1)
	}
	s := stat{state: fields[3-first][0], start: fields[22-first]}
	var err error
	if s.parent, err = strconv.Atoi(fields[4-first]); err != nil {
		return stat{}, fmt.Errorf("parent: %w", err)
	}
	if s.group, err = strconv.Atoi(fields[5-first]); err != nil {
		return stat{}, fmt.Errorf("process group: %w", err)
	}
	if s.rss, err = strconv.ParseInt(fields[24-first], 10, 64); err != nil {
		return stat{}, fmt.Errorf("resident pages: %w", err)
	}
	return s, nil
}

// members returns the processes of a process group that are not dead.
func members(group int) (map[int]stat, error) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer func() { _ = proc.Close() }()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	found := map[int]stat{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		// A process that ended since the listing, or that may not be read, is none
		// of ours.
		if s, err := readStat(pid); err == nil && s.group == group && !s.dead() {
			found[pid] = s
		}
	}
	return found, nil
}

// residentBytes returns the resident memory of a process group. Pages that its
// members share are counted once for each of them.
func residentBytes(group int) (int64, error) {
	alive, err := members(group)
	var pages int64
	for _, s := range alive {
		pages += s.rss
	}
	return pages * int64(os.Getpagesize()), err
}
