package count

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOnlyReportRefuses(t *testing.T) {
	for name, test := range map[string]struct{ reports, want string }{
		"none":    {"", "reported 0 times, want once: it ran when it was listed, and does not always"},
		"skipped": {`{"outcome": "skipped", "name": "BenchmarkX"}`, "was skipped when run for 20 operations, and ran when it was listed"},
		"other":   {`{"outcome": "skipped", "name": "BenchmarkY"}`, "ran BenchmarkY instead"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "reports")
			if test.reports != "" {
				test.reports += "\n"
			}
			if err := os.WriteFile(path, []byte(test.reports), 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if _, err := onlyReport(file, "BenchmarkX", 20); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
