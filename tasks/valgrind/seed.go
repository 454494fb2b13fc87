package valgrind

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// The seed edit. Valgrind copies the sixteen bytes of AT_RANDOM (getauxval(3)),
// drawn by the kernel for each process, to the program's stack. Go's run time
// takes its whole initial randomness from them: hash seeds, the order of select
// and of map iteration, math/rand. The edit copies constant bytes instead; neither
// half of them may be zero, which the run time takes for "no random bytes".
const (
	seedFile   = "coregrind/m_initimg/initimg-linux.c"
	seedAnchor = `VG_(memcpy)(strtab, orig_auxv->u.a_ptr, 16);`
	seedEdit   = `VG_(memcpy)(strtab, "perfpin fixed 16", 16);`
)

// fixSeed makes the seed edit in the unpacked source of a release.
func fixSeed(source string, r release) error {
	path := filepath.Join(source, filepath.FromSlash(seedFile))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := bytes.Count(text, []byte(seedAnchor)); n != 1 {
		return fmt.Errorf("valgrind %s: %s: the line to edit, %q, stands there %d times, want once",
			r.version, seedFile, seedAnchor, n)
	}
	return os.WriteFile(path, bytes.Replace(text, []byte(seedAnchor), []byte(seedEdit), 1), 0o666)
}
