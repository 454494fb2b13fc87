// Package report shows verdicts: as a table on a terminal, as JSON for machines
// and in Go's benchmark format for benchstat.
//
// # results.json
//
// One object with these members:
//
//	schema       2; a reader refuses any other
//	date         when the run ended, in UTC, as "2026-12-01T09:20:30Z"
//	module       the module's path
//	commit       the full hash of HEAD; "" where there is no Git repository
//	dirty        whether files are changed or new since that commit
//	filtered     true where not all benches of the module were asked for; else absent
//	shard        "2/5" where a part of them was counted; else absent
//	listed       what all shards together have in benches, sorted; absent without shard
//	platform     what the counts were taken with: go, target, libc, cpu, seed, tags,
//	             env (a list of NAME=VALUE) and valgrind, as in [pinned] of budgets.toml
//	machine      cpu, processors and kernel that it was counted on; absent where not known
//	differences  where platform is not the pinned one: field, pinned, here; absent
//	             when the two agree
//	benches      one object a bench, sorted by name
//
// and in each bench:
//
//	bench     the key in budgets.toml, or the path of a package that failed as a whole
//	verdict   "within", "regressed", "improved", "unpinned", "missing", "failed" or
//	          "not comparable"
//	iters     operations counted
//	total     instructions of all iters operations
//	ir        instructions per operation: the shortest decimal that, times iters and
//	          rounded, is total
//	allocs    allocations per operation, in the same way
//	bytes     bytes allocated per operation, in the same way
//	pin       the recorded count: ir, iters, total, allocs and bytes, and the line of
//	          budgets.toml that it stands on; null without a pin, and its allocs and
//	          bytes null where they are not pinned
//	band      "2%", what holds for the pin; "" without one
//	delta     total minus the pin's, in instructions; null unless both are there
//	runs      total of each run that was made, in order
//	distinct  how many different totals those are
//	settled   whether enough of the runs agree
//	moved     what left its budget, with both values; absent unless it did
//	functions which functions moved, the largest move first and at most 12: function,
//	          base and head, the instructions of its own code in all operations of the
//	          pinned state and now, and into, what all of it is inlined into; absent
//	          where nothing moved or no profile of the pinned state is known
//	error     why there is no count; absent when there is one
//	profile   path of the callgrind profile; absent when there is none
//
// Where nothing was counted, iters, total, ir, allocs and bytes are null.
// Neither the host's name nor a path outside the module stands in it.
// Numbers are exact decimals, not floating point: a total can need 63 bits.
package report
