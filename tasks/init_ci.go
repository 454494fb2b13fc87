package tasks

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed initial/perf.yml
var githubWorkflow string

//go:embed initial/gitlab.yml
var gitlabJobs string

// hintCI tells how the step is chosen where it cannot be guessed.
const hintCI = "\nhint: go tool mage init -ci=github  # or gitlab"

// chooseCI returns github, gitlab or none.
func (n newcomer) chooseCI(ctx context.Context, asked *string) (string, error) {
	if asked != nil {
		switch *asked {
		case "github", "gitlab", "none":
			return *asked, nil
		}
		return "", fmt.Errorf("-ci=%s: want github, gitlab or none", *asked)
	}
	if n.noGit != nil {
		n.console.say("CI step: none, since this is no Git repository" + hintCI)
		return "none", nil
	}
	// There need not be a remote.
	remote, _ := n.repository.Run(ctx, "remote", "get-url", "origin")
	for _, system := range []string{"github", "gitlab"} {
		if strings.Contains(remote, system) {
			return system, nil
		}
	}
	n.console.say("CI step: none, since the remote is of no known system" + hintCI)
	return "none", nil
}

// writeCI writes the CI step at the repository's root.
func (n newcomer) writeCI(system string) error {
	if system == "none" {
		return nil
	}
	root, err := n.repositoryRoot()
	if err != nil {
		return err
	}
	if system == "github" {
		text, err := inFolder(githubWorkflow, n.repository.Prefix)
		if err != nil {
			return err
		}
		return n.create(root, ".github/workflows/perf.yml", text)
	}
	text, err := inFolder(gitlabJobs, n.repository.Prefix)
	if err != nil {
		return err
	}
	const jobs, main = ".gitlab/perfpin.yml", ".gitlab-ci.yml"
	if err := n.create(root, jobs, text); err != nil {
		return err
	}
	const include = "include:\n  - local: /" + jobs + "\n"
	old, err := os.ReadFile(filepath.Join(root, main))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return n.create(root, main, include)
	case err != nil:
		return err
	case strings.Contains(string(old), jobs):
		n.console.say("%s: includes %s already", main, jobs)
		return nil
	}
	shown, err := filepath.Rel(n.root, filepath.Join(root, main))
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: is there already, and does not include %s\nhint: printf 'include:\\n  - local: /%[2]s\\n' >>%[1]s", shown, jobs)
}

// repositoryRoot returns the folder that the module's prefix starts from.
func (n newcomer) repositoryRoot() (string, error) {
	if n.noGit != nil {
		return n.root, nil
	}
	return filepath.Abs(filepath.Join(n.root, strings.Repeat("../", strings.Count(n.repository.Prefix, "/"))))
}

// inFolder makes a CI step, in which paths of the module start with "./", one for a
// module below the repository's root. The prefix ends in a slash, or is "".
func inFolder(text, prefix string) (string, error) {
	// What YAML and a shell take as it is.
	if !regexp.MustCompile(`^[A-Za-z0-9_./-]*$`).MatchString(prefix) {
		return "", fmt.Errorf("%s: cannot stand in a CI step as it is\nhint: go tool mage init -ci=none", prefix)
	}
	return regexp.MustCompile(`(^|[ \[])\./`).ReplaceAllString(text, "${1}./"+prefix), nil
}
