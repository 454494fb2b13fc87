#!/usr/bin/env bash
# Makes the transcripts in README.md anew; with -check, says where they differ and
# fails. Each block after a line `<!-- transcript: NAME -->` is replaced.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The module as it is, with its caches, where a line can be added to it.
mkdir "$work/perfpin" "$work/out"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$work/perfpin"
mkdir "$work/perfpin/target"
ln -s "$repository/target/tools" "$work/perfpin/target/tools"
cd "$work/perfpin"

# transcribe NAME STATUS COMMAND…: the command as typed, and what it prints.
transcribe() {
	local name=$1 want=$2 got=0
	shift 2
	{
		echo '```console'
		echo "\$ $*"
		"$@" 2>&1 | grep -v '^build benchmarks$' || got=${PIPESTATUS[0]}
		[ "$got" -eq 0 ] || echo "exit status $got"
		echo '```'
	} >"$work/out/$name"
	[ "$got" -eq "$want" ] || { cat "$work/out/$name"; echo "$name: exit status $got, want $want" >&2; exit 1; }
}

# Pinning keeps the profiles by which a failure tells what moved. It must change nothing.
cp budgets.toml "$work/budgets.toml"
go tool mage pin -packages=./benches/server >/dev/null 2>&1
diff -u "$work/budgets.toml" budgets.toml

transcribe pass 0 go tool mage perf -packages=./benches/server
handler=server/core/handle.go
sed -i '0,/^func (s \*Site) Handle(.*{$/s//&\n\tfor i := 0; i < 100; i++ {\n\t\tresp.slow += i\n\t}/' "$handler"
sed -i '0,/^type Response struct {$/s//&\n\tslow int/' server/core/*.go
transcribe fail 3 go tool mage perf -packages=./benches/server

awk -v dir="$work/out" '
	/^<!-- transcript: / { print; name = $3; while ((getline line < (dir "/" name)) > 0) print line; skip = 1; next }
	skip == 1 && /^```/ { skip = 2; next }
	skip == 2 { if (/^```$/) skip = 0; next }
	{ skip = 0; print }
' "$repository/README.md" >"$work/README.md"

if [ "${1-}" = -check ]; then
	diff -u "$repository/README.md" "$work/README.md"
else
	cp "$work/README.md" "$repository/README.md"
fi
