#!/usr/bin/env bash
# Explains benches between two versions of Go, which moves nearly all of them, and
# checks for each that the functions add up to what the bench itself moved by:
#
#	scripts/explain-sums.sh standard   benches of the standard library
#	scripts/explain-sums.sh here       this module's own, as of the last commit
#
# Exits with 1 where a sum is another, or where fewer than 50 of the standard library's
# were explained.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
from=go1.26.8 to=go1.27.0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go tool mage bootstrap 2>/dev/null
go tool mage -compile "$work/mage"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
export GOTOOLCHAIN=auto

case ${1:?usage: scripts/explain-sums.sh standard|here} in
standard)
	least=50 packages=-packages=strconv,unicode/utf8,container/heap,hash/crc32
	mkdir "$work/m"
	cd "$work/m"
	git init -q -b main
	printf 'module example.com/m\n\ngo 1.24\n' >go.mod
	;;
here)
	least=1 packages=-packages=./benches/...
	git clone -q "$root" "$work/m"
	cd "$work/m"
	;;
esac
go mod edit -toolchain="$from"
printf '/target\n' >.gitignore
git add go.mod .gitignore
git commit -q -m "$from"
go mod edit -toolchain="$to"
mkdir -p target
ln -s "$root/target/tools" target/tools

"$work/mage" explain -base=HEAD "$packages" "${@:2}" >"$work/out" 2>"$work/log" || true
grep -v '^count \|^build ' "$work/log" | sed 's/^/not explained: /' | tail -20
sed 's/,//g' "$work/out" | awk -v least="$least" '
	function finish() {
		if (bench == "") return
		n++
		if (delta != 0) moved++
		if (sum != delta || now - was != delta) { wrong++; print bench ": moved by " delta ", its functions by " sum }
	}
	/^[^ ].* operations: / {
		finish()
		bench = $1; sum = 0
		match($0, /: [-+]?[0-9]+ Ir/); delta = substr($0, RSTART + 2, RLENGTH - 5) + 0
		match($0, /\) [0-9]+ now [0-9]+$/); split(substr($0, RSTART + 2), part, " "); was = part[1]; now = part[3]
	}
	/ Ir  in all$/ { sum = $1 + 0 }
	END {
		finish()
		print n + 0 " benches explained, " moved + 0 " of them moved, " wrong + 0 " with another sum"
		exit wrong > 0 || n < least
	}'
