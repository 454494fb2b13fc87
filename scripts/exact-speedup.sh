#!/usr/bin/env bash
# How much sooner the gate is done than ten timed runs of the same benches and
# benchstat over them. Prints both times; wanted is 20 times or more. Says something on
# a quiet machine only.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go tool mage -compile "$work/mage"
GOBIN=$work go install "golang.org/x/perf/cmd/benchstat@$(go list -m -f '{{.Version}}' golang.org/x/perf)"
# Both are built already when they are timed.
"$work/mage" perf -strict >/dev/null 2>&1
go test -run='^$' -bench=. -benchtime=1x ./benches/... >/dev/null

seconds() {
	local begin=$EPOCHREALTIME
	"$@" >/dev/null 2>&1
	awk -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.1f", end - begin }'
}
time_them() {
	go test -run='^$' -bench=. -count=10 ./benches/... >"$work/times"
	"$work/benchstat" "$work/times"
}
counted=$(seconds "$work/mage" perf -strict)
timed=$(seconds time_them)
awk -v counted="$counted" -v timed="$timed" 'BEGIN {
	printf "mage perf: %s s; go test -bench=. -count=10 and benchstat: %s s; %.1f times sooner, wanted at least 20\n", counted, timed, timed / counted
}'
