#!/usr/bin/env bash
# How much longer `mage ci` takes than `mage perf`, both warm, with the summary and the
# annotations of a GitHub job and a history of 200 runs: each as often as told, 5 times
# if not, in turns and in both orders, so that what else the machine does meets both.
# Prints seconds side by side, and seconds of processor time, which other work moves
# less; then the medians. Fails where that of ci is more than 20 % above that of perf in
# processor time; says the same of the clock, which other work moves.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%R %U %S'
go tool mage -compile "$work/mage"
export GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$work/summary.md
"$work/mage" ci >"$work/log" 2>&1 || { status=$? && cat "$work/log" >&2 && echo "mage ci: exit status $status" >&2 && exit 1; }
history=target/perf/history.jsonl
cp "$history" "$work/history"
trap 'cp "$work/history" "$history"; rm -rf "$work"' EXIT
for ((i = 0; i < 200; i++)); do tail -n 1 "$work/history"; done >"$history"

# measure NAME ARGUMENT…: appends the seconds and the processor seconds of mage
measure() {
	local name=$1
	shift
	{ time "$work/mage" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&3; exit 1; }; } 3>&2 2>"$work/time"
	awk '{ print $1, $2 + $3 }' "$work/time" >>"$work/$name"
}

for ((i = 0; i < runs; i++)); do
	if ((i % 2)); then measure ci ci; fi
	measure perf perf -strict
	if ((i % 2 == 0)); then measure ci ci; fi
done

# median NAME COLUMN
median() { sort -n -k "$2,$2" "$work/$1" | awk -v column="$2" '{ all[NR] = $column } END { print all[int((NR + 1) / 2)] }'; }
{
	echo 'perf ci perf/processor ci/processor'
	paste -d ' ' "$work/perf" "$work/ci" | awk '{ print $1, $3, $2, $4 }'
	echo "$(median perf 1) $(median ci 1) $(median perf 2) $(median ci 2) median"
} | awk '{ printf "%-8s %-8s %-15s %-13s %s\n", $1, $2, $3, $4, $5 }'
awk -v perf="$(median perf 2)" -v ci="$(median ci 2)" -v perfclock="$(median perf 1)" -v ciclock="$(median ci 1)" 'BEGIN {
	more = (ci / perf - 1) * 100
	printf "ci takes %+.1f %% more processor time than perf, and %+.1f %% more time\n", more, (ciclock / perfclock - 1) * 100
	exit more > 20
}'
