#!/usr/bin/env bash
# How much longer `mage ci` takes than `mage perf`, both warm: each as often as told,
# 5 times if not, in turns, so that what else the machine does meets both. Prints
# seconds side by side, and seconds of processor time, which other work moves less; then
# the medians. Fails where the median of ci is more than 20 % above that of perf.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%R %U %S'
go tool mage -compile "$work/mage"
"$work/mage" ci >/dev/null 2>&1 || { echo "mage ci: exit status $?" >&2; exit 1; }

# measure NAME ARGUMENT…: appends the seconds and the processor seconds of mage
measure() {
	local name=$1
	shift
	{ time "$work/mage" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&3; exit 1; }; } 3>&2 2>"$work/time"
	awk '{ print $1, $2 + $3 }' "$work/time" >>"$work/$name"
}

for ((i = 0; i < runs; i++)); do
	measure perf perf -strict
	measure ci ci
done

# median NAME COLUMN
median() { sort -n -k "$2,$2" "$work/$1" | awk -v column="$2" '{ all[NR] = $column } END { print all[int((NR + 1) / 2)] }'; }
{
	echo 'perf ci perf/processor ci/processor'
	paste -d ' ' "$work/perf" "$work/ci" | awk '{ print $1, $3, $2, $4 }'
	echo "$(median perf 1) $(median ci 1) $(median perf 2) $(median ci 2) median"
} | awk '{ printf "%-8s %-8s %-15s %-13s %s\n", $1, $2, $3, $4, $5 }'
awk -v perf="$(median perf 2)" -v ci="$(median ci 2)" 'BEGIN {
	more = (ci / perf - 1) * 100
	printf "ci takes %+.1f %% more processor time than perf\n", more
	exit more > 20
}'
