package cleanenv

import (
	"maps"
	"strings"
)

// Measured returns the whole environment of a measured process: the fixed values
// below, TMPDIR, and the pairs NAME=VALUE of pass, which win, except that a
// GODEBUG in pass is appended to the fixed one, whose settings it overrides one by
// one.
//
// The environment stands on the measured process's stack and is read at its
// start, so that its length alone moves counts: tmpdir should have the same length
// in every run.
func Measured(tmpdir string, pass []string) []string {
	env := environment{
		// A collection starts when the heap has grown by a share of itself, and how
		// far it has grown when the region begins varies. runtime.GC still collects.
		"GOGC": "off",
		// With one processor, goroutines take turns in one order. It also keeps the
		// run time from following the number of processors of the host.
		"GOMAXPROCS": "1",
		"GODEBUG":    strings.Join(godebug(), ","),
		// Set and empty means UTC; unset would read the host's /etc/localtime.
		"TZ": "",
		// Programs and C libraries format and sort by it.
		"LANG": "C",
		// For benchmarks that run a program. The user's own PATH differs in length
		// and in what it finds.
		"PATH": "/usr/local/bin:/usr/bin:/bin",
		// No user's files, and the same length for all. Debian's name for "none".
		"HOME":   "/nonexistent",
		"TMPDIR": tmpdir,
	}
	passed := parse(pass)
	if settings := passed["GODEBUG"]; settings != "" {
		passed["GODEBUG"] = env["GODEBUG"] + "," + settings
	}
	maps.Copy(env, passed)
	return env.list()
}

// godebug returns the settings of the Go run time; they are documented in the
// package runtime and defined in runtime/runtime1.go.
func godebug() []string {
	return []string{
		// The preemption signal trips an assertion of callgrind's shadow stack.
		"asyncpreemptoff=1",
		// The first stack of a goroutine would have the average size of the stacks
		// that the last collection scanned.
		"adaptivestackstart=0",
		// A collection would halve stacks that are then grown, and copied, again.
		"gcshrinkstackoff=1",
		// A collection that a benchmark asks for runs, sweep included, while the
		// world stands still, and not interleaved with the benchmark.
		"gcstoptheworld=2",
		// One allocation in 512 KiB on average, drawn at random, would be recorded
		// with its stack trace.
		"memprofilerate=0",
		// sysmon would take locks once a second to ask whether the number of
		// processors may be updated, even though GOMAXPROCS forbids it.
		"updatemaxprocs=0",
		// Each new heap mapping would be named with prctl, and how many there are
		// depends on the heap.
		"decoratemappings=0",
	}
}
