// Package rootfs opens files inside one directory and nowhere else.
//
// A name is resolved by the kernel with openat2(2) and RESOLVE_BENEATH |
// RESOLVE_NO_MAGICLINKS, so that neither "..", nor an absolute symbolic link,
// nor a link swapped in while the call runs leads out of the directory. Links
// that stay inside are followed. Where the kernel has no openat2 (before Linux
// 5.6, some sandboxes, valgrind before 3.23) the same rules are applied one
// component at a time with openat(2) and O_NOFOLLOW.
//
// Only regular files are opened for reading. What a name stands for is looked
// at through an O_PATH descriptor first, which touches neither devices nor
// FIFOs; then it is opened without blocking and looked at once more.
package rootfs
