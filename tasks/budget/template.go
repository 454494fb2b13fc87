package budget

// Template returns the text of a budgets.toml without pins, for a module that
// has none yet.
func Template() []byte {
	return []byte(`# The instructions (Ir) that each benchmark may cost. "go tool mage perf" counts
# and compares; "go tool mage pin" counts and writes the pins below. Comments stay.

[pinned]                    # what the pins were taken with; the gate applies only on the same
go = ""
target = ""                 # GOOS/GOARCH/microarchitecture level
libc = ""                   # "static", or the C library of a measured binary
cpu = ""                    # the CPU model that valgrind shows to programs
seed = ""                   # "fixed", or "random" where it could not be fixed
tags = ""
valgrind = ""               # told, not compared

[gate]
band = "` + string(DefaultBand) + `"                 # how far a count may be from its pin; a pin's own band goes before

# One line a benchmark. ir, allocs and bytes are per operation; iters is the number of
# operations that were counted, and ir x iters rounds to the counted total.
[budgets]
`)
}
