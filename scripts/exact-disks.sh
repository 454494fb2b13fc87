#!/usr/bin/env bash
# A read-only tree and a full disk: each is one clear error with exit status 1, and
# budgets.toml stays as it is. Needs root, for the mounts.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d -p /var/tmp)
# The mounts are the inner shell's own and are gone with it.
trap 'rm -rf --one-file-system "$work"' EXIT
(cd "$repository" && go tool mage -compile "$work/mage")
cat >"$work/check.sh" <<'INSIDE'
set -eu
mount --make-rprivate /
mkdir "$work/m" "$work/ro"
# A disk of 64 MiB, with the tree and the folder of the measured processes on it.
mount -t tmpfs -o size=64m tmpfs "$work/m"
cd "$work/m"
mkdir -p target a
ln -s "$repository/target/tools" target/tools
printf 'module example.com/disks\n\ngo 1.24\n' >go.mod
printf 'package a\n\nimport "testing"\n\nvar sink int\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor range b.N {\n\t\tfor i := range 100 {\n\t\t\tsink += i\n\t\t}\n\t}\n}\n' >a/a_test.go
"$work/mage" pin >/dev/null 2>&1
cp budgets.toml "$work/pinned.toml"
bad=0
# want_failure NAME TEXT COMMAND…: exit status 1, and one message with TEXT.
want_failure() {
	name=$1 text=$2 status=0
	shift 2
	"$@" >"$work/out" 2>&1 || status=$?
	said=$(grep -c "$text" "$work/out" || true)
	cmp -s budgets.toml "$work/pinned.toml" && kept=kept || kept=changed
	echo "$name: exit status $status, budgets.toml $kept: $(grep -m 1 "$text" "$work/out" || tail -n 3 "$work/out")"
	[ "$status" = 1 ] && [ "$said" -ge 1 ] && [ "$kept" = kept ] || bad=1
}
mount --bind "$work/m" "$work/ro"
mount -o remount,bind,ro "$work/ro"
cd "$work/ro"
want_failure "perf, read-only tree" "read-only file system" "$work/mage" perf
want_failure "pin, read-only tree" "read-only file system" "$work/mage" pin
cd "$work/m"
dd if=/dev/zero of=fill bs=1M count=1000 2>/dev/null || true
want_failure "perf, full disk" "no space left on device" "$work/mage" perf
want_failure "pin, full disk" "no space left on device" "$work/mage" pin
rm fill
# The measured process's own folder is full: nothing of a profile can be written.
mount -t tmpfs -o size=4k tmpfs /tmp
want_failure "perf, full /tmp" "no space left on device" "$work/mage" perf
umount /tmp
"$work/mage" perf -strict >/dev/null 2>&1 || { echo "does not pass afterwards"; bad=1; }
exit $bad
INSIDE
export repository work
unshare --mount sh "$work/check.sh"
