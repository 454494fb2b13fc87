package valgrind

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fakeMake "builds" by writing what each target is called. Its mode stands in a
// file beside it, for no variable reaches it. It uses no program from PATH.
const fakeMake = `#!/bin/sh
bin=${0%/*}
read -r mode <"$bin/mode"
if [ "$1" = -n ]; then echo "gcc -c -o a.o a.c"; exit 0; fi
shift
echo "$*" >>"$bin/calls"
echo "gcc -c -o a.o a.c"
case $mode in
fail) echo "a.c:1: error: this is the cause" >&2; exit 2 ;;
hang) : >"$bin/hangs"; /bin/sleep 1000 ;;
slow) /bin/sleep 0.3 ;;
esac
for target; do
	case $target in
	valgrind) printf '#!/bin/sh\n[ -d "$VALGRIND_LIB" ] && [ %s != broken ]\n' "$mode" >valgrind ;;
	*) echo "$target" >"$target" ;;
	esac
done
`

// fakeApt has one mirror, whose name must not show up anywhere.
const fakeApt = `#!/bin/sh
bin=${0%/*}
read -r mode <"$bin/mode"
for last; do :; done
case "$*" in
*indextargets*)
	echo "Packages main stable-security http://mirror.example/debian-security/"
	echo "DEP-11 main stable http://other.example/debian/"
	echo "Packages main stable http://mirror.example/debian/"
	;;
*update)
	echo "Hit:1 http://mirror.example/debian suite InRelease"
	[ $mode != apt-fails ] && exit
	echo "W: Failed to fetch http://mirror.example/debian/dists/suite/InRelease  Could not resolve 'mirror.example'"
	echo "W: Some index files failed to download."
	;;
*source*)
	read -r archive <"$bin/archive"
	/bin/cp "$archive" valgrind_9.9.9.orig.tar.bz2
	;;
esac
`

// A world is a folder of fake programs, the only one on PATH, and a bootstrap
// that accepts one fake release.
type world struct {
	bootstrap
	bin   string
	mu    sync.Mutex
	steps []string
}

func newWorld(t *testing.T, archive string) *world {
	t.Helper()
	w := &world{bin: t.TempDir()}
	t.Setenv("PATH", w.bin)
	t.Setenv(SourceVariable, "")
	w.program(t, "gcc", "#!/bin/sh\necho fake gcc\n")
	w.program(t, "perl", "#!/bin/sh\n")
	w.program(t, "make", fakeMake)
	w.set(t, "mode", "ok")
	w.bootstrap = bootstrap{
		dir:      filepath.Join(t.TempDir(), "a folder", "tools"),
		source:   fixture(t, archive),
		environ:  os.Environ(),
		releases: []release{{version: "9.9.9", sha256: digest(t, archive), suite: "suite"}},
		upstream: "http://127.0.0.1:1/",
		report: func(p Progress) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.steps) == 0 || w.steps[len(w.steps)-1] != p.Step {
				w.steps = append(w.steps, p.Step)
			}
		},
	}
	return w
}

func (w *world) program(t *testing.T, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.bin, name), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
}

func (w *world) set(t *testing.T, file, line string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.bin, file), []byte(line+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// makes tells how often make was run to build a part; a build has four.
func (w *world) makes(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.bin, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(data), "\n")
}

func fixture(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func digest(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(fixture(t, name))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// requireNothingInstalled demands that neither a tree nor a leftover of a build is
// there.
func (w *world) requireNothingInstalled(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(w.dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name := entry.Name(); name != ".valgrind.lock" && name != "valgrind-build.log" {
			t.Errorf("%s was left behind", name)
		}
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
