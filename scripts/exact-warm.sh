#!/usr/bin/env bash
# What the gate adds to bare callgrind: the time of a warm `mage perf` on the unchanged
# tree, compared with the sum of its valgrind runs, one after the other, divided by the
# number of jobs. Prints both; wanted is at most 1.15 times. Says something on a quiet
# machine only.
# scripts/exact-warm.sh [TIMES]
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD times=${1:-5} jobs=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go tool mage -compile "$work/mage"

# A clone whose valgrind notes how long each of its runs takes. What waits for the run's
# end is in a session of its own, and has none of its files: the gate ends all that is in
# the run's. Not in the shell's language: a shell passes the environment on in another
# order, which a counted command notices.
git clone -q "$repository" "$work/timed"
tools=$work/timed/target/tools/valgrind
mkdir -p "$tools/bin"
for part in libexec recipe; do ln -s "$repository/target/tools/valgrind/$part" "$tools/$part"; done
cat >"$tools/bin/valgrind" <<WRAPPER
#!/usr/bin/perl
use POSIX ();
use Time::HiRes qw(time sleep);
my (\$begin, \$run) = (time, \$\$);
if (fork == 0) {
	POSIX::setsid();
	POSIX::close(\$_) for 0 .. 255;
	sleep 0.005 while kill 0, \$run;
	open my \$runs, '>>', '$work/runs';
	printf \$runs "%.0f\n", 1e9 * (time - \$begin);
	close \$runs;
	POSIX::_exit(0);
}
exec '$repository/target/tools/valgrind/bin/valgrind', @ARGV;
WRAPPER
chmod +x "$tools/bin/valgrind"

"$work/mage" perf -strict >/dev/null 2>&1
(cd "$work/timed" && "$work/mage" perf -strict >/dev/null 2>&1)
for ((i = 0; i < times; i++)); do
	: >"$work/runs"
	(cd "$work/timed" && "$work/mage" perf -strict -jobs=1 >/dev/null 2>&1)
	sleep 1
	awk '{ sum += $1 } END { print NR, sum / 1e9 }' "$work/runs" >>"$work/bare"
	begin=$(date +%s%N)
	"$work/mage" perf -strict >/dev/null 2>&1
	echo "$(($(date +%s%N) - begin))" | awk '{ print $1 / 1e9 }' >>"$work/warm"
done
# The median of each.
bare=$(sort -k2,2n "$work/bare" | awk '{ v[NR] = $2 } END { print v[int((NR + 1) / 2)] }')
warm=$(sort -n "$work/warm" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
awk -v runs="$(awk '{ n = $1 } END { print n }' "$work/bare")" -v bare="$bare" -v warm="$warm" -v jobs="$jobs" -v times="$times" 'BEGIN {
	printf "%d valgrind runs, one after the other: %.1f s; by %d jobs %.1f s; warm mage perf: %.1f s (medians of %d)\n", runs, bare, jobs, bare / jobs, warm, times
	printf "%.2f times, wanted at most 1.15\n", warm * jobs / bare
}'
