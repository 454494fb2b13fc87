#!/bin/sh
# The CI step for any system that runs a shell: bootstrap, gate, report. It exits with
# the gate's status: 1 something could not be measured, 3 the gate failed, 4 another
# platform than the pinned one.
#
#   scripts/ci/perfpin.sh [MODULE [FLAGS OF mage ci…]]
#
# With PERFPIN_CACHE set to a folder that the system keeps between jobs, valgrind is
# built once for all of them.
set -eu
cd "${1:-.}"
[ $# -eq 0 ] || shift

# Counts are comparable with one Go only, the one that the pins were taken with.
pinned=$([ ! -e budgets.toml ] || sed -n 's/^go *= *"\(go[^"]*\)".*/\1/p' budgets.toml)
[ -z "$pinned" ] || export GOTOOLCHAIN="$pinned+auto"

if [ -n "${PERFPIN_CACHE-}" ] && [ ! -d target/tools ]; then
	key=$(go tool mage bootstrap -key)
	mkdir -p target "$PERFPIN_CACHE/$key"
	# A link may be left whose target the system has removed.
	ln -sfn "$(cd "$PERFPIN_CACHE/$key" && pwd)" target/tools
fi
exec go tool mage ci "$@"
