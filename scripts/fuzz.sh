#!/usr/bin/env bash
# Runs every fuzz target of the module for a while each: scripts/fuzz.sh 30s
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:?usage: scripts/fuzz.sh DURATION, as 30s or 10m}

grep -rl --include='*_test.go' '^func Fuzz' tasks server benches | xargs -n1 dirname | sort -u | while read -r package; do
	go test -list '^Fuzz' "./$package" | grep '^Fuzz' | while read -r target; do
		echo "-- $package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "./$package" </dev/null
	done
done
