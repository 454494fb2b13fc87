#!/usr/bin/env bash
# Go's own library benchmarks, which nobody here wrote: measures every one of the
# packages' benchmarks several times and says which measurements are not identical.
# scripts/exact-library.sh [TIMES] [PACKAGE…]
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
times=${1:-5}
shift || true
[ $# -gt 0 ] || set -- sort bytes strings container/heap net/http bufio fmt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$repository" && go tool mage -compile "$work/mage")
mkdir -p "$work/m/target"
ln -s "$repository/target/tools" "$work/m/target/tools"
cd "$work/m"
printf 'module example.com/library\n\ngo 1.24\n' >go.mod
packages=$(IFS=,; echo "$*")

# A pin fixes the number of operations; what cannot be pinned is reported.
"$work/mage" pin -packages="$packages" >pin.out 2>pin.err || true
for ((i = 1; i <= times; i++)); do
	"$work/mage" perf -packages="$packages" >"perf.$i" 2>&1 || true
	sed -n 's/^      "bench": "\(.*\)",$/\1/p; s/^      "total": \([0-9]*\),$/\1/p' target/perf/results.json |
		paste -d' ' - - >"totals.$i" || true
done
cat totals.* | sort | uniq -c | awk -v times="$times" '
	{ benches[$2]; if ($1 == times) same[$2] }
	END {
		for (b in benches) { n++; if (b in same) s++; else print "not identical: " b }
		printf "%d benches, %d identical in %d measurements (%.2f %%)\n", n, s, times, 100 * s / n
	}'
grep -h 'not pinned' pin.err || true
