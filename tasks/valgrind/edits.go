package valgrind

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An edit changes one place of valgrind's source. Anchor must stand exactly once in
// the file; With takes its place.
type edit struct{ file, anchor, with string }

// edits are made in the source of each accepted release.
func edits() []edit {
	const mayBlock = "   *flags |= SfMayBlock;\n"
	const isLock = "   if ((ARG2 & (VKI_FUTEX_PRIVATE_FLAG|VKI_FUTEX_LOCK_PI))"
	return []edit{
		// Valgrind copies the sixteen bytes of AT_RANDOM (getauxval(3)), drawn by the
		// kernel for each process, to the program's stack. Go's run time takes its whole
		// initial randomness from them, a C library its stack guards. These are constant;
		// neither half may be zero, which Go takes for "no random bytes".
		{
			file:   "coregrind/m_initimg/initimg-linux.c",
			anchor: `VG_(memcpy)(strtab, orig_auxv->u.a_ptr, 16);`,
			with:   `VG_(memcpy)(strtab, "perfpin fixed 16", 16);`,
		},
		// One thread runs at a time, and one that makes a system call that may block
		// lets another run. A thread that wakes another does not block: should it go on,
		// or the other? That was left to the kernel's scheduler, and with it whether a
		// Go run time finds an idle thread or starts a new one. It goes on.
		{
			file:   "coregrind/m_syswrap/syswrap-linux.c",
			anchor: mayBlock + isLock,
			with: "   if ((ARG2 & ~(VKI_FUTEX_PRIVATE_FLAG|VKI_FUTEX_CLOCK_REALTIME)) != VKI_FUTEX_WAKE)\n   " +
				mayBlock + isLock,
		},
	}
}

// applyEdits edits the unpacked source of a release.
func applyEdits(source string, r release) error {
	for _, e := range edits() {
		path := filepath.Join(source, filepath.FromSlash(e.file))
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if n := bytes.Count(text, []byte(e.anchor)); n != 1 {
			return fmt.Errorf("valgrind %s: %s: the text to edit, %q, stands there %d times, want once",
				r.version, e.file, e.anchor, n)
		}
		if err := os.WriteFile(path, bytes.Replace(text, []byte(e.anchor), []byte(e.with), 1), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// describeEdits is the part of a recipe that tells of the edits.
func describeEdits() string {
	var b strings.Builder
	for _, e := range edits() {
		fmt.Fprintf(&b, "edit %s: %q\n", e.file, e.with)
	}
	return b.String()
}
