package valgrind

import (
	"slices"
	"strings"
	"testing"
)

func TestDebianMirrors(t *testing.T) {
	const targets = `Packages main trixie-updates http://a/debian/
Packages main trixie http://a/debian/
DEP-11 main trixie http://b/debian/
Packages main trixie http://a/debian/
Packages contrib trixie http://c/debian/
Packages main testing http://d/debian/
Packages main nodistro http://e/
garbage
`
	want := []string{"http://a/debian/", "http://d/debian/"}
	if got := debianMirrors(targets, "ID=debian\nVERSION_CODENAME=\"trixie\"\n"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRedact(t *testing.T) {
	for _, text := range []string{
		"Get:1 http://mirror.example/debian forky InRelease [151 kB]",
		"E: Failed to fetch https://u:p@mirror.example:8080/debian/x.dsc  404  Not Found [IP: 192.0.2.1 80]",
		"W: Could not resolve 'mirror.example'",
		"E: Could not connect to mirror.example:80 (192.0.2.1), connection timed out",
		"Err:1 mirror+http://mirror.example/debian forky InRelease",
	} {
		got := redact(text)
		for _, secret := range []string{"mirror.example", "192.0.2.1", "u:p"} {
			if strings.Contains(got, secret) {
				t.Errorf("%q holds %s", got, secret)
			}
		}
	}
	const harmless = "Reading package lists...\nE: Unable to find a source package for valgrind (1.0)\n"
	if got := redact(harmless); got != harmless {
		t.Errorf("got %q, want %q", got, harmless)
	}
}
