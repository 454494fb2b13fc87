#!/usr/bin/env bash
# Go's own library benchmarks, which nobody here wrote: measures every one of the
# packages' benchmarks several times, raw single runs, under load and changed
# surroundings (mage spread), and counts how many were identical each time. One that
# does not end within the time limit is excluded; any other failure counts as not
# identical.
# scripts/exact-library.sh [TIMES [LIMIT [PACKAGE…]]]
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
times=${1:-5} limit=${2:-30s} least=300
shift $(($# < 2 ? $# : 2))
if [ $# -gt 0 ]; then least=1; else set -- sort bytes strings container/heap net/http bufio fmt; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$repository" && go tool mage -compile "$work/mage")
mkdir -p "$work/m/target"
ln -s "$repository/target/tools" "$work/m/target/tools"
cd "$work/m"
printf 'module example.com/library\n\ngo 1.24\n' >go.mod

# One package after the other: what is done is printed already.
for package in "$@"; do
	"$work/mage" spread -runs="$times" -timeout="$limit" -packages="$package" 2>"$work/err" | tee -a "$work/spread" || true
	grep '^Error: ' "$work/err" || true
done
awk -v least="$least" -v times="$times" '
	# Rows of the table: bench, runs, least, most, spread, distinct, settled.
	NF == 7 && $2 == times { counted++; if ($6 == 1) same++; else print "varies: " $1 ": " $5 }
	NF == 2 && $2 == "failed" { failed[$1] }
	# Below the table stands why.
	match($0, /: /) && substr($0, 1, RSTART - 1) in failed {
		name = substr($0, 1, RSTART - 1); delete failed[name]
		if ($0 ~ /: killed: still running after /) { excluded++; print "excluded: " $0 } else { bad++; print "failed: " $0 }
	}
	END {
		n = counted + bad
		printf "%d benches: %d identical in %d runs (%.2f %%), %d varied, %d failed, %d excluded\n",
			n + excluded, same, times, n ? 100 * same / n : 0, counted - same, bad, excluded
		printf "wanted: %d benches or more, 99 %% or more of them identical\n", least
		exit n < least || 100 * same < 99 * n
	}' "$work/spread"
