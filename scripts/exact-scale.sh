#!/usr/bin/env bash
# 1,000 small benches in one module, and 250: the gate's time grows with their number,
# its own memory does not. Every bench has the same body, so that one pin is all of
# theirs, and a gate that passes shows 1,000 equal counts. Prints time and peak memory;
# fails where one is not within its pin, or where the memory grows.
# scripts/exact-scale.sh [MORE [FEWER]]
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
more=${1:-1000} fewer=${2:-250}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$repository" && go tool mage -compile "$work/mage")

# make_module N: a module of N benches, ten packages, and a pin for each.
make_module() {
	local n=$1 p i
	rm -rf "$work/m"
	mkdir -p "$work/m/target"
	ln -s "$repository/target/tools" "$work/m/target/tools"
	cd "$work/m"
	printf 'module example.com/scale\n\ngo 1.24\n' >go.mod
	for ((p = 0; p < 10; p++)); do
		mkdir "p$p"
		{
			printf 'package p%d\n\nimport "testing"\n\nvar sink int\n\nfunc work(b *testing.B) {\n' "$p"
			printf '\tfor range b.N {\n\t\tfor i := range 100 {\n\t\t\tsink += i\n\t\t}\n\t}\n}\n\n'
			for ((i = p; i < n; i += 10)); do printf 'func BenchmarkB%04d(b *testing.B) { work(b) }\n' "$i"; done
		} >"p$p/p_test.go"
	done
	"$work/mage" pin -packages=./p0 -bench=B0000 >pin.out 2>&1 || { cat pin.out >&2; return 1; }
	for ((i = 1; i < n; i++)); do
		sed -n "s/^\"p0\.B0000\"/\"p$((i % 10)).B$(printf %04d "$i")\"/p" budgets.toml
	done >pins
	cat pins >>budgets.toml
}

# gate N: prints the seconds that the gate takes, and its peak memory in KiB.
gate() {
	local begin end pid peak=0 now
	begin=$(date +%s%N)
	"$work/mage" perf -strict >perf.out 2>&1 &
	pid=$!
	while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
		peak=$now
		sleep 0.2
	done
	wait "$pid" || { tail perf.out >&2; return 1; }
	end=$(date +%s%N)
	tail -n 1 perf.out >&2
	echo "$(((end - begin) / 1000000)) $peak"
}

for n in "$fewer" "$more"; do
	make_module "$n"
	"$work/mage" perf -strict -bench=B0000 >/dev/null 2>&1 # builds all
	gate >"$work/figures.$n"
done
awk -v more="$more" -v fewer="$fewer" '
	{ n++; ms[n] = $1; peak[n] = $2 }
	END {
		printf "%6s %10s %14s %14s\n", "benches", "seconds", "ms a bench", "peak MiB"
		printf "%6d %10.1f %14.1f %14.1f\n", fewer, ms[1] / 1000, ms[1] / fewer, peak[1] / 1024
		printf "%6d %10.1f %14.1f %14.1f\n", more, ms[2] / 1000, ms[2] / more, peak[2] / 1024
		printf "time a bench: %.2f times; peak memory: %.2f times, wanted at most 1.25\n", ms[2] * fewer / (ms[1] * more), peak[2] / peak[1]
		exit peak[2] > 1.25 * peak[1]
	}' "$work/figures.$fewer" "$work/figures.$more"
