#!/usr/bin/env bash
# What `go tool mage report -measure` times: the server starts, answers one request,
# logs it and ends.
#
#   scripts/clock.sh prepare   remove what the last run left, the access log
#   scripts/clock.sh run
set -euo pipefail
cd "$(dirname "$0")/.."
server=target/report/bin/perfpin-serve
folder=target/report/clock

case ${1-} in
prepare)
	mkdir -p "$folder/site"
	echo '<!doctype html><title>perfpin</title>' >"$folder/site/index.html"
	rm -f "$folder/access.log"
	;;
run)
	exec 3< <(exec "$server" -addr=127.0.0.1:0 -serve-one -access-log="$folder/access.log" "$folder/site" 2>&1)
	read -r line <&3
	[[ $line =~ http://([^/:]+):([0-9]+) ]] || { echo "clock.sh: the server printed \"$line\", want its address" >&2; exit 1; }
	exec 4<>"/dev/tcp/${BASH_REMATCH[1]}/${BASH_REMATCH[2]}"
	printf 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&4
	read -r status <&4
	[[ $status == "HTTP/1.1 200 "* ]] || { echo "clock.sh: the server answered \"$status\", want 200" >&2; exit 1; }
	exec 4>&-
	wait $!
	;;
*)
	echo "usage: scripts/clock.sh run|prepare" >&2
	exit 2
	;;
esac
