// Package count runs one benchmark under callgrind and returns its Count.
package count

// A Count is what one benchmark cost, as measured.
type Count struct {
	// Bench is the key of the benchmark in budgets.toml: the package's path inside
	// the module, a dot, and the name without "Benchmark".
	Bench string
	// Iters is the number of operations in the counted region.
	Iters int64
	// Total is the instructions (Ir) of the counted region: all Iters operations.
	Total int64
	// Allocs and Bytes are the heap allocations and the bytes allocated by the
	// counted region: all Iters operations.
	Allocs, Bytes int64
	// Runs holds the total of every run that was made, in order. Total is the one
	// that the runs agree on; Settled tells whether enough of them did.
	Runs    []int64
	Settled bool
	// Libc is "static", or the C library that the measured binary is linked with,
	// as "glibc 2.36".
	Libc string
	// Profile is the path of the callgrind profile of Total, relative to the module.
	Profile string
	// Err tells why there is no count; the other fields but Bench are then zero.
	Err error
}
