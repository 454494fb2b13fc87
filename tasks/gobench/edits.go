package gobench

import "slices"

// An edit changes one place of the toolchain's own sources for a measured build.
// Anchor must stand exactly once in the file; With takes its place.
type edit struct {
	file   string // below GOROOT/src
	anchor string
	with   string
	// since and until are the first and the last minor version of Go 1 that has the
	// anchor; 0 means all.
	since, until int
}

// edits lists what is changed in the toolchain and why. Together they remove from
// a counted run whatever depends on the clock, on the host or on which thread a
// goroutine happens to be on; none changes what a program computes.
func edits() []edit {
	return slices.Concat(timerEdits(), clockEdits(), randomEdits(), heapEdits(), hostEdits())
}

// timerEdits count instructions where package testing runs its timer.
func timerEdits() []edit {
	const file = "testing/benchmark.go"
	return []edit{
		{file: file, anchor: "b.timerOn = true\n", with: "b.timerOn = true\n\t\tperfpinStart()\n"},
		{
			file:   file,
			anchor: "b.duration += highPrecisionTimeSince(b.start)\n",
			with:   "perfpinStop()\n\t\tb.duration += highPrecisionTimeSince(b.start)\n",
		},
		{file: file, anchor: "func (b *B) ResetTimer() {\n", with: "func (b *B) ResetTimer() {\n\tperfpinReset()\n"},
		{file: file, anchor: "\tb.netBytes = 0\n", with: "\tb.netBytes = 0\n\tperfpinRestart(b)\n"},
		// The body keeps its own name for whoever reads a profile or a stack.
		{
			file:   file,
			anchor: "func (b *B) run1() bool {\n",
			with: "func (b *B) run1() bool {\n\treturn perfpinRun1(b, b.perfpinFirst())\n}\n\n" +
				"func (b *B) perfpinFirst() bool {\n",
		},
		{
			file:   file,
			anchor: "func (b *B) launch() {\n",
			with: "func (b *B) launch() {\n\tif perfpin.mode != \"\" {\n" +
				"\t\tdefer func() { b.signal <- true }()\n\t\tperfpinLaunch(b)\n\t\treturn\n\t}\n",
		},
		// RunParallel takes its grain from the wall clock of the run before; without
		// one it is 1.
		{file: file, anchor: "b.previousDuration = b.duration\n", with: "b.previousDuration = 0\n"},
	}
}

// clockEdits take the clock out of the scheduler and the locks.
func clockEdits() []edit {
	const proc = "runtime/proc.go"
	return []edit{
		// A goroutine keeps its time slice for 100 s instead of 10 ms, which no counted
		// region is meant to reach. Not for ever: code that spins until another
		// goroutine runs would hang.
		{
			file:   proc,
			anchor: "const forcePreemptNS = 10 * 1000 * 1000 ",
			with:   "const forcePreemptNS = 100 * 1000 * 1000 * 1000 ",
		},
		// The monitor thread looks every 200 ms instead of every 20 µs to 10 ms: what
		// it finds overdue, such as a system call to take the processor from, it acts
		// upon, and how long a call takes depends on the host's load.
		{file: proc, anchor: "\t\tusleep(delay)\n", with: "\t\tusleep(200 * 1000)\n"},
		// It does not poll the network for a busy processor, which would make
		// goroutines ready at a moment that the clock chooses.
		{
			file:   proc,
			anchor: "lastpoll+10*1000*1000 < now",
			with:   "lastpoll+10*1000*1000*1000 < now",
		},
		// It does not sleep until it is woken: the counted threads would wake it.
		{
			file:   proc,
			anchor: "if debug.schedtrace <= 0 && (sched.gcwaiting.Load() ||",
			with:   "if false && (sched.gcwaiting.Load() ||",
		},
		// Every eighth change of state of a goroutine reads the clock and files the
		// time in a histogram, at a cost that depends on it.
		{
			file:   proc,
			anchor: "if casgstatusAlwaysTrack || gp.trackingSeq%gTrackingPeriod == 0 {",
			with:   "if false {",
		},
		// The background scavenger returns free memory to the system, a little at a
		// time, with pauses by the clock. It stays parked.
		{
			file:   "runtime/mgcscavenge.go",
			anchor: "func (s *scavengerState) wake() {\n",
			with:   "func (s *scavengerState) wake() {\n\treturn\n",
		},
		{
			file:   "runtime/histogram.go",
			anchor: "func (h *timeHistogram) record(duration int64) {\n",
			with:   "func (h *timeHistogram) record(duration int64) {\n\tduration = 1024\n",
		},
		// A collector that has taken more than half of the time is limited for a while,
		// and each allocation of a span asks whether it is.
		{
			file:   "runtime/mgclimit.go",
			anchor: "func (l *gcCPULimiterState) limiting() bool {\n",
			with:   "func (l *gcCPULimiterState) limiting() bool {\n\treturn false\n",
		},
		// A waiter that could not get a mutex for 1 ms makes it hand over in turn.
		{
			file:   "internal/sync/mutex.go",
			anchor: "starvationThresholdNs = 1e6\n",
			with:   "starvationThresholdNs = 1e12\n",
		},
	}
}

// randomEdits fix what a program draws at random.
func randomEdits() []edit {
	const rand = "runtime/rand.go"
	return []edit{
		// All of the run time's randomness comes from this seed: hash seeds, map
		// iteration, select, math/rand. Fixed here, it is so under any valgrind.
		{
			file:   rand,
			anchor: "\tglobalRand.state.Init(*seed)\n\tclear(seed[:])\n",
			with:   "\t*seed = [32]byte{1}\n\tglobalRand.state.Init(*seed)\n\tclear(seed[:])\n",
		},
		// Each thread has a stream of its own: what a goroutine draws would depend on
		// the thread it is on. All draw from the first thread's streams instead, and a
		// thread that starts, which is a matter of timing, draws nothing.
		{
			file:   rand,
			anchor: "func mrandinit(mp *m) {\n",
			with:   "func mrandinit(mp *m) {\n\tif mp != &m0 {\n\t\treturn\n\t}\n",
		},
		{
			file:   rand,
			anchor: "\tmp := getg().m\n\tc := &mp.chacha8\n",
			with:   "\tmp := getg().m\n\tc := &m0.chacha8\n",
		},
		{
			file:   rand,
			anchor: "func cheaprand() uint32 {\n\tmp := getg().m\n",
			with:   "func cheaprand() uint32 {\n\tmp := &m0\n",
		},
		{
			file:   rand,
			anchor: "\t\tmp := getg().m\n\t\t// Implement wyrand",
			with:   "\t\tmp := &m0\n\t\t// Implement wyrand",
			since:  27,
		},
		// crypto/rand asks the kernel. Which keys and nonces a benchmark draws decides
		// how often an algorithm tries again.
		{
			file:   "crypto/internal/sysrand/rand.go",
			anchor: "func Read(b []byte) {\n",
			with:   "func Read(b []byte) {\n\tperfpinRead(b)\n\treturn\n",
		},
	}
}

// heapEdits fix what an allocation costs by the history of the memory it gets; see
// perfpinHeap in overlay/runtime.go.src too.
func heapEdits() []edit {
	const stack = "runtime/stack.go"
	return []edit{
		// Pages that were never used are known to be zero. All are cleared, as those
		// of a program that has run for a while are.
		{
			file:   "runtime/mheap.go",
			anchor: "func (h *mheap) allocNeedsZero(base, npage uintptr) (needZero bool) {\n",
			with:   "func (h *mheap) allocNeedsZero(base, npage uintptr) (needZero bool) {\n\treturn true\n",
		},
		// A heap that grows returns as much to the system where it is larger than a goal,
		// which follows from how it looked at the last collection.
		{
			file:   "runtime/mheap.go",
			anchor: "if goal := scavenge.gcPercentGoal.Load(); goal != ^uint64(0) && growth > 0 {",
			with:   "if goal := uint64(0); false && growth > 0 {",
		},
		// A stack that grows has its pointers compared with the old stack's bounds. One
		// comparison tells as much as two, and costs the same whether the heap that a
		// pointer leads to lies below the stack or above it.
		{
			file:   stack,
			anchor: "if adjinfo.old.lo <= p && p < adjinfo.old.hi {",
			with:   "if p-adjinfo.old.lo < adjinfo.old.hi-adjinfo.old.lo {",
		},
		{file: stack, anchor: "if minp <= p && p < maxp {", with: "if p-minp < maxp-minp {"},
	}
}

// hostEdits fix what a program takes from the host as it starts; that is counted where
// a whole command is.
func hostEdits() []edit {
	const linux = "runtime/os_linux.go"
	return []edit{
		// The mask of processors is counted bit by bit, and its length is the kernel's.
		// With one processor, locks do not spin either.
		{file: linux, until: 24, anchor: "func getproccount() int32 {\n", with: "func getproccount() int32 {\n\treturn 1\n"},
		{file: linux, since: 25, anchor: "func getCPUCount() int32 {\n", with: "func getCPUCount() int32 {\n\treturn 1\n"},
		// Valgrind's processor says that it has RDTSCP, and raises SIGILL at it where the
		// host's has none: a lock that is contended reads the cycle counter now and then.
		{
			file:   "internal/cpu/cpu_x86.go",
			anchor: "X86.HasRDTSCP = isSet(",
			with:   "X86.HasRDTSCP = false && isSet(",
		},
		// A file below /sys that not every host has.
		{
			file:   linux,
			anchor: "func getHugePageSize() uintptr {\n",
			with:   "func getHugePageSize() uintptr {\n\treturn 2 << 20\n",
		},
		// /proc/self/mountinfo and /proc/self/cgroup are read to choose GOMAXPROCS,
		// which is given; their length is the host's.
		{
			file: "runtime/cgroup_linux.go", since: 25,
			anchor: "func defaultGOMAXPROCSInit() {\n",
			with:   "func defaultGOMAXPROCSInit() {\n\treturn\n",
		},
		// The limit of open files is raised where the host's allows it.
		{
			file:   "syscall/rlimit.go",
			anchor: "func init() {\n\tvar lim Rlimit\n",
			with:   "func init() {\n\treturn\n\tvar lim Rlimit\n",
		},
	}
}
