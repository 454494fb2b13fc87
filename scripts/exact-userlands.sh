#!/usr/bin/env bash
# Two user lands and two launch paths: counts the unchanged tree here by `go tool mage
# perf`, here by the compiled magefile, and in a newer Debian by the same compiled
# magefile, valgrind and toolchain. Each must count what the other two did, to the
# instruction. Needs root, and debootstrap from apt, which is not installed.
# scripts/exact-userlands.sh [SUITE]
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD suite=${1:-trixie}
work=$(mktemp -d)
# The mounts below are the inner shell's own and are gone with it.
trap 'rm -rf --one-file-system "$work"' EXIT

# The machine's own apt sources say where there is a Debian archive.
mirror=$(apt-get indextargets --no-release-info --format '$(CREATED_BY) $(COMPONENT) $(RELEASE) $(REPO_URI)' |
	awk -v codename="$(. /etc/os-release && echo "$VERSION_CODENAME")" '$1 == "Packages" && $2 == "main" && $3 == codename { print $4; exit }')
mkdir "$work/apt" "$work/newer"
(cd "$work/apt" && apt-get download -q debootstrap && dpkg -x debootstrap_*.deb .) >"$work/log" 2>&1
echo "making a root of $suite"
# Releases are made by one script; an older debootstrap does not know the newest names.
DEBOOTSTRAP_DIR=$work/apt/usr/share/debootstrap "$work/apt/usr/sbin/debootstrap" --variant=minbase \
	"$suite" "$work/newer" "$mirror" "$work/apt/usr/share/debootstrap/scripts/sid" >>"$work/log" 2>&1 ||
	{ tail "$work/log" >&2; exit 1; }

go tool mage -compile "$work/mage"
counts() { sed -n 's/^      "bench": "\(.*\)",$/\1/p; s/^      "total": \([0-9]*\),\{0,1\}$/\1/p' target/perf/results.json | paste -d' ' - -; }
go tool mage perf -strict >"$work/perf.tool" 2>&1 || { cat "$work/perf.tool" >&2; exit 1; }
counts >"$work/counts.tool"
"$work/mage" perf -strict >"$work/perf.compiled" 2>&1 || { cat "$work/perf.compiled" >&2; exit 1; }
counts >"$work/counts.compiled"

cp "$work/mage" "$work/newer/usr/local/bin/mage"
GOROOT=$(go env GOROOT) GOCACHE=$(go env GOCACHE) GOMODCACHE=$(go env GOMODCACHE)
export GOROOT GOCACHE GOMODCACHE
cat >"$work/newer/count.sh" <<'INSIDE'
set -eu
cd /module
export HOME=/root PATH="$GOROOT/bin:/usr/local/bin:/usr/bin:/bin" GOTOOLCHAIN=local GOFLAGS=-mod=mod GOPROXY=off
getconf GNU_LIBC_VERSION
mage perf -strict >/perf.out 2>&1 || { cat /perf.out >&2; exit 1; }
INSIDE
# The tree is a copy: its folder is another one, and of another length.
mkdir -p "$work/newer/module/target"
git archive HEAD | tar -x -C "$work/newer/module"
unshare --mount sh -eu -c '
	root=$1 tools=$2
	mount --make-rprivate /
	mkdir -p "$root/module/target/tools"
	for folder in /proc /dev "$GOROOT" "$GOCACHE" "$GOMODCACHE"; do
		mkdir -p "$root$folder"
		mount --rbind "$folder" "$root$folder"
	done
	mount --bind "$tools" "$root/module/target/tools"
	exec chroot "$root" sh /count.sh' sh "$work/newer" "$repository/target/tools" | tee "$work/libc"
(cd "$work/newer/module" && counts) >"$work/counts.inside"

echo "here: $(getconf GNU_LIBC_VERSION); $suite: $(cat "$work/libc")"
benches=$(wc -l <"$work/counts.tool") apart=0
for other in compiled inside; do
	diff "$work/counts.tool" "$work/counts.$other" || apart=1
done
echo "$benches benches: go tool mage perf, the compiled magefile, and $suite: $([ $apart = 0 ] && echo identical || echo not identical)"
[ "$apart" = 0 ] && [ "$benches" -gt 0 ] && [ "$(getconf GNU_LIBC_VERSION)" != "$(cat "$work/libc")" ]
