#!/usr/bin/env bash
# Runs the fuzz targets of some folders, by default of all, for a while each:
# scripts/fuzz.sh 30s tasks/budget tasks/callgrind
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:?usage: scripts/fuzz.sh DURATION [FOLDER…], as 30s or 10m}
shift
[ $# -gt 0 ] || set -- tasks server benches

grep -rl --include='*_test.go' '^func Fuzz' "$@" | xargs -n1 dirname | sort -u | while read -r package; do
	go test -list '^Fuzz' "./$package" | grep '^Fuzz' | while read -r target; do
		echo "-- $package $target"
		# Without the limit, most of a short time goes into minimizing inputs.
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "./$package" </dev/null
	done
done
