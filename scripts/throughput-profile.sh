#!/usr/bin/env bash
# Where the server's processor time goes: samples it with perf while wrk asks for the
# same thing again and again, and prints the part of each step of the event loop, of
# the system calls in it, and of the kernel as a whole. Needs perf (apt-get install
# linux-perf) and wrk, and two processors; says something on a quiet machine only.
#   scripts/throughput-profile.sh [304|1k|16k|1m]…
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- 304 1m
for program in perf wrk curl; do
	command -v "$program" >/dev/null || { echo "throughput-profile.sh: $program is missing" >&2; exit 1; }
done
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
go build -o "$work/serve" ./server/cmd/perfpin-serve
mkdir "$work/site"
for size in 1k 16k 1m; do head -c "${size^^}" /dev/zero | tr '\0' x >"$work/site/$size.txt"; done

# The server says on standard error where it listens.
GOMAXPROCS=1 taskset -c 1 "$work/serve" -addr 127.0.0.1:0 -one-worker "$work/site" 2>"$work/log" &
server=$!
until address=$(grep -o 'http://127[^ ]*' "$work/log"); do kill -0 "$server" && sleep 0.1; done

for what; do
	file=$what headers=()
	if [ "$what" = 304 ]; then
		file=1k
		tag=$(curl -sI "$address/1k.txt" | tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')
		headers=(-H "If-None-Match: $tag")
	fi
	taskset -c 0 wrk -c50 -t1 -d7s "${headers[@]}" "$address/$file.txt" >"$work/wrk" &
	load=$!
	sleep 1
	perf record -q -e cpu-clock -F 2000 -g -p "$server" -o "$work/data" sleep 5
	wait "$load"
	grep -q 'Non-2xx' "$work/wrk" && { cat "$work/wrk" >&2; exit 1; }
	echo "$what: part of the server's processor time"
	perf report -i "$work/data" --children -g none --stdio 2>/dev/null |
		awk '$NF ~ /\(\*loop\)\.(receive|answerAll|push|wait)$|^__x64_sys_(sendto|sendfile64|recvfrom|epoll_wait|epoll_pwait)$/ { sub(/.*\//, "", $NF); print "  " $1 "  " $NF }'
	perf report -i "$work/data" --no-children -g none --sort dso --stdio 2>/dev/null |
		awk '$2 == "[kernel.kallsyms]" { print "  " $1 "  the kernel, in all" }'
done
