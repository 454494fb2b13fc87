#!/usr/bin/env bash
# Go's own library benchmarks, which nobody here wrote: measures every one of the
# packages' benchmarks several times under load and counts how many were identical each
# time. First raw single runs in changed surroundings (mage spread); what varied there
# is then measured as often as the gate does it, which repeats a run until three agree.
# One that does not end within the time limit is excluded; any other failure counts as
# not identical.
# scripts/exact-library.sh [TIMES [LIMIT [PACKAGE…]]]
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
times=${1:-5} limit=${2:-60s} least=300 jobs=$((2 * $(nproc)))
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
	"$work/mage" spread -runs="$times" -jobs="$jobs" -timeout="$limit" -packages="$package" 2>"$work/err" | tee -a "$work/spread" || true
	grep '^Error: ' "$work/err" || true
done
# Rows of the table: bench, runs, least, most, spread, distinct, settled.
awk -v times="$times" 'NF == 7 && $2 == times && $6 > 1 { print $1 }' "$work/spread" >"$work/varied"

if [ -s "$work/varied" ]; then
	packages=$(IFS=,; echo "$*")
	pattern="^($(sed 's/[]*+?(){}|^$.[\\]/\\&/g' "$work/varied" | paste -sd'|'))\$"
	# A pin says what the first measurement is compared with. What never settles has none.
	"$work/mage" pin -timeout="$limit" -packages="$packages" -bench="$pattern" >"$work/out" 2>&1 || true
	for ((i = 0; i < times; i++)); do
		"$work/mage" perf -timeout="$limit" -packages="$packages" -bench="$pattern" >"$work/out" 2>&1 || true
		awk -F'[": ,]+' '
			/^      "bench": / { bench = $3 }
			/^      "total": / { total = $3 }
			/^      "settled": true/ { print bench, total }' target/perf/results.json >>"$work/settled"
	done
	sort "$work/settled" | uniq -c | awk -v times="$times" '$1 == times { print $2 }' >"$work/same"
fi
touch "$work/same"
awk -v least="$least" -v times="$times" '
	FILENAME ~ /same$/ { settled[$1]; next }
	NF == 7 && $2 == times {
		counted++
		if ($6 == 1) { raw++; same++ }
		else if ($1 in settled) { same++; print "settles: " $1 ": single runs " $5 }
		else print "varies: " $1 ": single runs " $5
	}
	NF == 2 && $2 == "failed" { failed[$1] }
	# Below the table stands why.
	match($0, /: /) && substr($0, 1, RSTART - 1) in failed {
		name = substr($0, 1, RSTART - 1); delete failed[name]
		if ($0 ~ /: killed: still running after /) { excluded++; print "excluded: " $0 } else { bad++; print "failed: " $0 }
	}
	END {
		n = counted + bad
		printf "%d benches: %d excluded, %d failed, %d measured %d times\n", n + excluded, excluded, bad, counted, times
		printf "identical: %d as single runs (%.2f %%), %d as the gate measures (%.2f %%)\n", raw, n ? 100 * raw / n : 0, same, n ? 100 * same / n : 0
		printf "wanted: %d benches or more, 99 %% or more of them identical\n", least
		exit n < least || 100 * same < 99 * n
	}' "$work/same" "$work/spread"
