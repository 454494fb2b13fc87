package throughput

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// quotaPeriod is how often a quota is renewed. While servers pause, the requests of
// all connections gather; the shorter the pauses, the fewer times a server has
// answered all before its time is up, and waits. The kernel's least for a quota is
// 1 ms (Documentation/scheduler/sched-bwc.rst).
const quotaPeriod = 10 * time.Millisecond

// leastShare is the least share of a processor that is tried.
const leastShare = 0.1

// A quota is a cgroup whose processes may be given less than a whole processor.
type quota struct {
	dir string
	v2  bool
}

// quotaPrefix begins the names of the cgroups. An earlier run that was killed may
// have left one, empty.
const quotaPrefix = "perfpin-throughput-"

// newQuota makes a cgroup beside or below this process's own, with no limit yet. It
// fails where cgroups may not be made, as in most containers and for most users.
func newQuota(pids []int) (*quota, error) {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	places := findCgroups(string(own), string(mounts))
	errs := []error{errors.New("no cgroup has a controller for processor time")}
	for _, place := range places {
		q := &quota{dir: filepath.Join(place.dir, quotaPrefix+strconv.Itoa(os.Getpid())), v2: place.v2}
		if err := q.make(pids); err != nil {
			errs = append(errs, err, q.remove())
			continue
		}
		return q, nil
	}
	if len(places) > 0 {
		errs = errs[1:]
	}
	return nil, errors.Join(errs...)
}

func (q *quota) make(pids []int) error {
	parent := filepath.Dir(q.dir)
	leftovers, _ := fs.Glob(os.DirFS(parent), quotaPrefix+"*") // the pattern is right
	for _, name := range leftovers {
		_ = os.Remove(filepath.Join(parent, name)) // refused while something runs in it
	}
	if err := os.Mkdir(q.dir, 0o755); err != nil {
		return err
	}
	// Fails where the controller is not on for the new group.
	if err := q.set(1); err != nil {
		return err
	}
	for _, pid := range pids {
		if err := q.write("cgroup.procs", strconv.Itoa(pid)); err != nil {
			return err
		}
	}
	return nil
}

// set lets the processes together use share of a processor; 1 takes the limit away.
func (q *quota) set(share float64) error {
	period := strconv.FormatInt(quotaPeriod.Microseconds(), 10)
	limit := strconv.FormatInt(int64(share*float64(quotaPeriod.Microseconds())), 10)
	if q.v2 {
		if share >= 1 {
			limit = "max"
		}
		return q.write("cpu.max", limit+" "+period)
	}
	if share >= 1 {
		limit = "-1"
	}
	return errors.Join(q.write("cpu.cfs_period_us", period), q.write("cpu.cfs_quota_us", limit))
}

func (q *quota) write(name, value string) error {
	f, err := os.OpenFile(filepath.Join(q.dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// remove removes the cgroup, once its processes have ended.
func (q *quota) remove() error {
	err := os.Remove(q.dir)
	// The kernel lets go of the processes a little after they have been waited for.
	for range 100 {
		if err == nil || errors.Is(err, os.ErrNotExist) {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
		err = os.Remove(q.dir)
	}
	return err
}

// A cgroupPlace is a folder in which a cgroup may be made.
type cgroupPlace struct {
	dir string
	v2  bool
}

// findCgroups returns where cgroups with a quota could be, from what is in
// /proc/self/cgroup and /proc/self/mountinfo (cgroups(7), proc_pid_mountinfo(5)).
func findCgroups(own, mounts string) []cgroupPlace {
	v1, v2 := "", ""
	for line := range strings.Lines(own) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		switch {
		case len(fields) < 3:
		case fields[0] == "0" && fields[1] == "":
			v2 = fields[2]
		case slices.Contains(strings.Split(fields[1], ","), "cpu"):
			v1 = fields[2]
		}
	}
	var places []cgroupPlace
	for line := range strings.Lines(mounts) {
		before, after, found := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if !found || len(fields) < 5 || len(kind) < 3 {
			continue
		}
		root, point := fields[3], fields[4]
		switch {
		case !path.IsAbs(root) || !path.IsAbs(point):
		case v1 != "" && kind[0] == "cgroup" && slices.Contains(strings.Split(kind[2], ","), "cpu"):
			places = append(places, cgroupPlace{dir: below(point, root, v1)})
		case v1 == "" && v2 != "" && kind[0] == "cgroup2":
			dir := below(point, root, v2)
			places = append(places, cgroupPlace{dir, true})
			// A group with processes of its own may have no controlled groups below it;
			// then the new one goes beside it.
			if dir != point {
				places = append(places, cgroupPlace{filepath.Dir(dir), true})
			}
		}
	}
	return places
}

// below returns where the cgroup is that has path in the hierarchy, when the
// hierarchy's root is mounted at point.
func below(point, root, path_ string) string {
	relative, found := strings.CutPrefix(path.Clean(path_), path.Clean(root))
	if !found {
		return point // of another namespace
	}
	return filepath.Join(point, filepath.FromSlash(path.Clean("/"+relative)))
}

// throttled returns in how many periods the quota has run out so far.
func (q *quota) throttled() (int64, error) {
	path := filepath.Join(q.dir, "cpu.stat")
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	n, err := parseThrottled(string(data))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// parseThrottled reads nr_throttled out of a cpu.stat, which has the same form in
// both versions of cgroups (Documentation/scheduler/sched-bwc.rst).
func parseThrottled(stat string) (int64, error) {
	for line := range strings.Lines(stat) {
		if value, found := strings.CutPrefix(line, "nr_throttled "); found {
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
			return int64(n), err
		}
	}
	return 0, errors.New("has no nr_throttled")
}
