package gobench

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestOverlayFailsLoudly(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	const anchor = "b.timerOn = true\n"
	for name, test := range map[string]struct {
		version string
		change  func([]byte) []byte
		want    []string
	}{
		"as it is":      {runtime.Version(), bytes.Clone, nil},
		"missing":       {runtime.Version(), func(s []byte) []byte { return bytes.ReplaceAll(s, []byte(anchor), nil) }, []string{runtime.Version() + ": testing/benchmark.go: anchor ", "stands 0 times, want once", "\nhint: "}},
		"twice":         {runtime.Version(), func(s []byte) []byte { return append(s, anchor...) }, []string{"stands 2 times, want once"}},
		"not a release": {"devel +abc", bytes.Clone, []string{"devel +abc: not a released version of Go"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Overlay(test.version, func(file string) ([]byte, error) {
				source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "src", file))
				if file == "testing/benchmark.go" {
					source = test.change(source)
				}
				return source, err
			})
			if (err == nil) != (test.want == nil) {
				t.Fatalf("got error %v, want one with %q", err, test.want)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
		})
	}
}
