#!/usr/bin/env bash
# Compares the server with nginx, as `go tool mage throughput` does, for a shell or a
# CI job: the settings are variables, and flags are passed on.
#
#   DURATION=5s CONNECTIONS=50 WARMUP=3s ROUNDS=5 SERVER_ONLY=1 scripts/throughput.sh
set -euo pipefail
cd "$(dirname "$0")/.."

# A number of seconds without a unit is what such variables hold elsewhere.
seconds() { if [[ $1 =~ ^[0-9]+$ ]]; then echo "${1}s"; else echo "$1"; fi; }

flags=()
[ -z "${DURATION:-}" ] || flags+=("-duration=$(seconds "$DURATION")")
[ -z "${WARMUP:-}" ] || flags+=("-warmup=$(seconds "$WARMUP")")
[ -z "${CONNECTIONS:-}" ] || flags+=("-connections=$CONNECTIONS")
[ -z "${ROUNDS:-}" ] || flags+=("-rounds=$ROUNDS")
case ${SERVER_ONLY:-0} in
0) ;;
1) flags+=("-serverOnly=true") ;;
*) echo "throughput.sh: SERVER_ONLY: got \"$SERVER_ONLY\", want 0 or 1" >&2 && exit 2 ;;
esac
exec go tool mage throughput "${flags[@]}" "$@"
