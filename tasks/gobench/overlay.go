package gobench

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

//go:embed overlay
var sources embed.FS

// added maps the files that a measured build adds to the toolchain, below
// GOROOT/src, to where they are kept here.
func added() map[string]string {
	return map[string]string{
		"testing/perfpin.go":      "overlay/testing.go.src",
		"testing/perfpin_amd64.s": "overlay/testing_amd64.s.src",
		"testing/perfpin_arm64.s": "overlay/testing_arm64.s.src",
		"runtime/perfpin.go":      "overlay/runtime.go.src",

		"crypto/internal/sysrand/perfpin.go": "overlay/sysrand.go.src",
	}
}

// Overlay returns the files of a measured build that differ from the toolchain's
// own, by their path below GOROOT/src. read returns the toolchain's own file.
//
// It fails, naming every anchor, where the sources of that version of Go are not
// those that the edits were made for.
func Overlay(version string, read func(file string) ([]byte, error)) (map[string][]byte, error) {
	minor, err := minorVersion(version)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	var errs []error
	for _, e := range edits() {
		if minor < e.since || e.until > 0 && minor > e.until {
			continue
		}
		src, ok := files[e.file]
		if !ok {
			if src, err = read(e.file); err != nil {
				errs = append(errs, fmt.Errorf("%s: %s: %w", version, e.file, err))
				continue
			}
		}
		if n := bytes.Count(src, []byte(e.anchor)); n != 1 {
			errs = append(errs, fmt.Errorf("%s: %s: anchor %q stands %d times, want once", version, e.file, e.anchor, n))
		}
		files[e.file] = bytes.Replace(src, []byte(e.anchor), []byte(e.with), 1)
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("%w\nhint: go tool mage perf -go=go1.26.8", errors.Join(errs...))
	}
	for file, source := range added() {
		src, err := sources.ReadFile(source)
		if err != nil {
			return nil, err
		}
		if minor >= 27 {
			src = bytes.Replace(src, []byte("//perfpin:cheaprand64"), []byte("m0.cheaprand64 = 0x9e3779b97f4a7c15"), 1)
		}
		files[file] = src
	}
	return files, nil
}

// minorVersion returns 26 for "go1.26.8".
func minorVersion(version string) (int, error) {
	rest, ok := strings.CutPrefix(version, "go1.")
	digits, _, _ := strings.Cut(rest, ".")
	digits, _, _ = strings.Cut(digits, "rc")
	minor, err := strconv.Atoi(digits)
	if !ok || err != nil {
		return 0, fmt.Errorf("%s: not a released version of Go, as go1.26.8", version)
	}
	return minor, nil
}
