package tasks

import (
	"os"
	"strings"
	"testing"
)

// What is shown in this repository is what Init writes.
func TestShownIsWritten(t *testing.T) {
	for path, text := range map[string]string{
		"../.github/workflows/perf.yml": githubWorkflow,
		"../scripts/ci/gitlab.yml":      gitlabJobs,
	} {
		shown, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(shown) != text {
			t.Errorf("%s: is not what Init writes\nhint: cp tasks/initial/*.yml over it", path)
		}
	}
}

// Below the root every path of the module gets the prefix, and nothing else does.
func TestInFolder(t *testing.T) {
	text, err := inFolder(githubWorkflow, "sub/")
	if err != nil {
		t.Fatal(err)
	}
	for want, times := range map[string]int{
		"working-directory: ./sub/\n": 1, "./sub/go.mod\n": 2, "./sub/go.sum\n": 2,
		"./sub/target/tools\n": 2, "./sub/target/report\n": 1, "./sub/pins.patch\n": 1, "./": strings.Count(githubWorkflow, "./"),
	} {
		if got := strings.Count(text, want); got != times {
			t.Errorf("%q stands %d times, want %d", want, got, times)
		}
	}
	jobs, err := inFolder(gitlabJobs, "sub/dir/")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"    - cd ./sub/dir/\n", "files: [./sub/dir/go.sum]\n", "paths: [./sub/dir/target/tools, .go]\n",
		"paths: [./sub/dir/target/report, ./sub/dir/target/perf/results.json]\n", "paths: [./sub/dir/pins.patch]\n",
	} {
		if strings.Count(jobs, want) != 1 {
			t.Errorf("%q stands not once in\n%s", want, jobs)
		}
	}
	for _, prefix := range []string{"a b/", "a: b/", "$(id)/", "é/"} {
		if text, err := inFolder(githubWorkflow, prefix); err == nil || text != "" {
			t.Errorf("%q: is accepted", prefix)
		}
	}
}
