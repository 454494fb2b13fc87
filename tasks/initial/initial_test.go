package initial_test

import (
	"os"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

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
	text, err := os.ReadFile("gitlab.yml")
	if err != nil {
		t.Fatal(err)
	}
	var jobs map[string]gitlabJob
	if err := yaml.Unmarshal(text, &jobs); err != nil {
		t.Fatal(err)
	}
	base, perf, pin := jobs[".perfpin"], jobs["perf"], jobs["pin"]
	switch {
	case !slices.Contains(base.Before, "cd ./"), !slices.Contains(base.Cache.Paths, "./target/tools"), base.Image == "":
		t.Errorf(".perfpin is %+v", base)
	case perf.Extends != ".perfpin", !slices.Equal(perf.Script, []string{"go tool mage ci"}), !slices.Contains(perf.Artifacts.Paths, "./target/report"):
		t.Errorf("perf is %+v", perf)
	case pin.Extends != ".perfpin", !slices.Contains(pin.Script, "go tool mage pin"), len(pin.Artifacts.Paths) != 1:
		t.Errorf("pin is %+v", pin)
	}
}
