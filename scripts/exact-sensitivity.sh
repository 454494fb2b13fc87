#!/usr/bin/env bash
# Twenty generated operations of 10 to 1,000,000 instructions, each as a b.N and as a
# b.Loop benchmark, with and without one instruction more: the difference that is
# counted must be that one instruction in every operation. Prints a table.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$repository" && go tool mage -compile "$work/mage")
mkdir -p "$work/m/target" "$work/m/op"
ln -s "$repository/target/tools" "$work/m/target/tools"
cd "$work/m"
printf 'module example.com/sensitivity\n\ngo 1.24\n' >go.mod

sizes=(10 15 25 40 60 100 150 250 400 600 1000 2500 4000 6000 10000 25000 60000 100000 300000 1000000)
{
	printf '#include "textflag.h"\n'
	for size in "${sizes[@]}"; do
		# A loop of two instructions, with what is left over before it, and RET at the end.
		turns=$(((size - 2) / 2)) rest=$(((size - 2) % 2))
		for more in 0 1; do
			printf '\nTEXT ·op%s_%s(SB), NOSPLIT, $0-0\n\tMOVQ $%s, CX\n' "$size" "$more" "$turns"
			for ((i = 0; i < rest + more; i++)); do printf '\tXORQ AX, AX\n'; done
			printf 'loop%s_%s:\n\tDECQ CX\n\tJNZ loop%s_%s\n\tRET\n' "$size" "$more" "$size" "$more"
		done
	done
} >op/op_amd64.s
{
	printf 'package op\n\n'
	for size in "${sizes[@]}"; do printf 'func op%s_0()\nfunc op%s_1()\n' "$size" "$size"; done
} >op/op.go
{
	printf 'package op\n\nimport "testing"\n'
	for size in "${sizes[@]}"; do
		for more in 0 1; do
			printf '\nfunc BenchmarkN%s_%s(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\top%s_%s()\n\t}\n}\n' "$size" "$more" "$size" "$more"
			printf '\nfunc BenchmarkLoop%s_%s(b *testing.B) {\n\tfor b.Loop() {\n\t\top%s_%s()\n\t}\n}\n' "$size" "$more" "$size" "$more"
		done
	done
} >op/op_test.go

"$work/mage" pin >/dev/null 2>&1
printf '%-8s %10s %12s %14s %14s\n' shape size iterations difference 'per operation'
awk '
	/^"op\./ {
		match($0, /"op\.[^"]+"/); name = substr($0, RSTART + 4, RLENGTH - 5)
		match($0, /ir = [0-9.]+/); ir[name] = substr($0, RSTART + 5, RLENGTH - 5) + 0
		match($0, /iters = [0-9]+/); iters[name] = substr($0, RSTART + 8, RLENGTH - 8) + 0
	}
	END {
		table = "sort -k1,1 -k2,2n"
		for (name in ir) {
			if (name !~ /_0$/) continue
			other = substr(name, 1, length(name) - 1) "1"
			if (iters[name] != iters[other]) { print name ": other iterations"; bad++; continue }
			total = int(ir[other] * iters[other] + 0.5) - int(ir[name] * iters[name] + 0.5)
			shape = name; sub(/[0-9]+_0$/, "", shape); size = name; sub(/^[A-Za-z]+/, "", size); sub(/_0$/, "", size)
			printf "%-8s %10d %12d %14d %14s\n", shape, size, iters[name], total, total / iters[name] | table
			n++
			if (total != iters[name]) bad++
		}
		close(table)
		printf "%d pairs, %d not exactly one instruction an operation\n", n, bad
		exit bad > 0 || n != 40
	}' budgets.toml
