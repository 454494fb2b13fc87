#!/usr/bin/env bash
# No false alarm: runs the gate on the unchanged tree, 100 times or as often as told,
# and counts how often it passed.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-100} passed=0
mage=$(mktemp)
trap 'rm -f "$mage"' EXIT
go tool mage -compile "$mage"
for ((i = 1; i <= runs; i++)); do
	if "$mage" perf -strict >/dev/null 2>&1; then passed=$((passed + 1)); else echo "run $i: exit status $?"; fi
done
echo "$passed of $runs runs passed"
[ "$passed" -eq "$runs" ]
