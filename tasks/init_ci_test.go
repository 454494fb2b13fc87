package tasks

import (
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
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

// A job is as much of a GitLab job as this test looks at
// (https://docs.gitlab.com/ci/yaml/).
type gitlabJob struct {
	Extends   string
	Image     string
	Cache     struct{ Paths []string }
	Before    []string `yaml:"before_script"`
	Script    []string
	Artifacts struct{ Paths []string }
}

func TestGitLabJobs(t *testing.T) {
	for prefix, want := range map[string]struct{ cd, tools, report string }{
		"":         {"cd ./", "./target/tools", "./target/report"},
		"sub/dir/": {"cd ./sub/dir/", "./sub/dir/target/tools", "./sub/dir/target/report"},
	} {
		text, err := inFolder(gitlabJobs, prefix)
		if err != nil {
			t.Fatal(err)
		}
		var jobs map[string]gitlabJob
		if err := yaml.Unmarshal([]byte(text), &jobs); err != nil {
			t.Fatal(err)
		}
		base, perf, pin := jobs[".perfpin"], jobs["perf"], jobs["pin"]
		switch {
		case !slices.Contains(base.Before, want.cd), !slices.Contains(base.Cache.Paths, want.tools), base.Image == "":
			t.Errorf("%q: .perfpin is %+v", prefix, base)
		case perf.Extends != ".perfpin", !slices.Equal(perf.Script, []string{"go tool mage ci"}), !slices.Contains(perf.Artifacts.Paths, want.report):
			t.Errorf("%q: perf is %+v", prefix, perf)
		case pin.Extends != ".perfpin", !slices.Contains(pin.Script, "go tool mage pin"), len(pin.Artifacts.Paths) != 1:
			t.Errorf("%q: pin is %+v", prefix, pin)
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
	var workflow map[string]any
	if err := yaml.Unmarshal([]byte(text), &workflow); err != nil {
		t.Error(err)
	}
	for _, prefix := range []string{"a b/", "a: b/", "$(id)/", "é/"} {
		if text, err := inFolder(githubWorkflow, prefix); err == nil || text != "" {
			t.Errorf("%q: is accepted", prefix)
		}
	}
}
