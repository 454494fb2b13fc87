package valgrind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// debianKeyring is where Debian's own archive keys are, by the package
// debian-archive-keyring.
const debianKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// fetchDebian gets the archive through apt, from the mirrors that this machine
// uses already, but from the suites that carry accepted releases. apt works in
// folders of its own, so that it needs no privileges and leaves the machine as it
// was.
func (b bootstrap) fetchDebian(ctx context.Context, dir string) (string, release, error) {
	path, err := tool.Find("apt-get", "")
	if err != nil {
		return "", release{}, err
	}
	a := apt{path: path, environ: b.environ, dir: filepath.Join(dir, "apt"), log: b.log()}
	if err := a.configure(); err != nil {
		return "", release{}, err
	}
	mirrors, err := a.mirrors(ctx)
	if err != nil {
		return "", release{}, err
	}
	var errs []error
	for _, r := range b.releases {
		for i, mirror := range mirrors {
			b.report(Progress{Step: "fetch valgrind " + r.version + " from Debian " + r.suite})
			archive, err := a.fetch(ctx, mirror, r)
			if err == nil {
				if _, err = identify(archive, []release{r}); err == nil {
					return archive, r, nil
				}
			}
			errs = append(errs, fmt.Errorf("suite %s, mirror %d of %d: %w", r.suite, i+1, len(mirrors), err))
			if ctx.Err() != nil {
				return "", release{}, errors.Join(errs...)
			}
		}
	}
	return "", release{}, errors.Join(errs...)
}

// An apt is apt-get with a state of its own below dir.
type apt struct {
	path    string
	environ []string
	dir     string
	log     string
}

func (a apt) lists() string  { return filepath.Join(a.dir, "deb-src.list") }
func (a apt) config() string { return filepath.Join(a.dir, "apt.conf") }

// configure writes apt's configuration. A file can clear what the machine's own
// configuration holds, which options on the command line cannot.
func (a apt) configure() error {
	text := fmt.Sprintf(`Dir::State %[1]q;
Dir::State::Lists %[2]q;
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache %[3]q;
// As root, apt would download as another user, who may not enter our folder.
APT::Sandbox::User "root";
// Programs that the machine runs after an update, on its own caches.
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Acquire::Languages "none";
Acquire::Retries "2";
`, a.dir, filepath.Join(a.dir, "lists"), filepath.Join(a.dir, "cache"))
	for _, folder := range []string{"lists/partial", "cache/archives/partial", "source"} {
		if err := os.MkdirAll(filepath.Join(a.dir, folder), 0o777); err != nil {
			return err
		}
	}
	return os.WriteFile(a.config(), []byte(text), 0o666)
}

// mirrors returns the addresses of the Debian archives in the machine's own
// sources, the likeliest first. Other archives may be among them.
func (a apt) mirrors(ctx context.Context) ([]string, error) {
	var out bytes.Buffer
	err := tool.Command{
		Path: a.path,
		Args: []string{
			"-c", a.config(), "indextargets", "--no-release-info",
			"--format", "$(CREATED_BY) $(COMPONENT) $(RELEASE) $(REPO_URI)",
		},
		Env:    cleanenv.Tool(a.environ),
		Stdout: &out,
	}.Run(ctx)
	if err != nil {
		return nil, err
	}
	release, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return nil, err
	}
	mirrors := debianMirrors(out.String(), string(release))
	if len(mirrors) == 0 {
		return nil, errors.New("no archive of Debian's among apt's sources")
	}
	return mirrors, nil
}

// debianMirrors picks from apt's index targets, "CREATED-BY COMPONENT RELEASE URI"
// a line, the archives that have a component main of the machine's own release;
// release is the text of /etc/os-release, see os-release(5).
func debianMirrors(targets, release string) []string {
	suites := []string{"stable", "oldstable", "testing", "unstable", "sid"}
	for line := range strings.Lines(release) {
		if name, found := strings.CutPrefix(strings.TrimSpace(line), "VERSION_CODENAME="); found {
			suites = append(suites, strings.Trim(name, `"'`))
		}
	}
	var mirrors []string
	for line := range strings.Lines(targets) {
		f := strings.Fields(line)
		if len(f) == 4 && f[0] == "Packages" && f[1] == "main" &&
			slices.Contains(suites, f[2]) && !slices.Contains(mirrors, f[3]) {
			mirrors = append(mirrors, f[3])
		}
	}
	return mirrors
}

// fetch downloads a release's source package from a mirror and returns the path of
// the upstream archive in it.
func (a apt) fetch(ctx context.Context, mirror string, r release) (string, error) {
	options := ""
	if _, err := os.Stat(debianKeyring); err == nil {
		options = "[signed-by=" + debianKeyring + "] "
	}
	list := fmt.Sprintf("deb-src %s%s %s main\n", options, mirror, r.suite)
	if err := os.WriteFile(a.lists(), []byte(list), 0o666); err != nil {
		return "", err
	}
	if err := a.run(ctx, "update"); err != nil {
		return "", err
	}
	if err := a.run(ctx, "source", "--download-only", "valgrind"); err != nil {
		return "", err
	}
	archive := filepath.Join(a.dir, "source", "valgrind_"+r.version+".orig.tar.bz2")
	if _, err := os.Stat(archive); err != nil {
		return "", fmt.Errorf("it carries another version than %s", r.version)
	}
	return archive, nil
}

// run runs apt-get over the one list. The names of mirrors, which are the
// machine's own affair, stay out of the log and of the error.
func (a apt) run(ctx context.Context, args ...string) error {
	var out bytes.Buffer
	runErr := tool.Command{
		Path: a.path,
		Args: append([]string{
			"-c", a.config(), "-q",
			"-o", "Dir::Etc::sourcelist=" + a.lists(), "-o", "Dir::Etc::sourceparts=-",
		}, args...),
		Dir:    filepath.Join(a.dir, "source"),
		Env:    cleanenv.Tool(a.environ),
		Stdout: &out,
		Stderr: &out,
	}.Run(ctx)
	text := redact(out.String())
	if err := appendFile(a.log, text); err != nil {
		return errors.Join(runErr, err)
	}
	if runErr == nil && !strings.Contains(text, "\nE: ") && !strings.Contains(text, "\nW: Failed to fetch") {
		return nil
	}
	// apt-get update succeeds although an index could not be fetched.
	var said []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "E: ") || strings.HasPrefix(line, "W: ") {
			said = append(said, strings.TrimSpace(line[len("E: "):]))
		}
	}
	err := fmt.Errorf("apt-get %s: %s (log: %s)", args[0], strings.Join(said, "; "), a.log)
	if ctx.Err() != nil {
		err = runErr
	}
	return err
}

// redact replaces the addresses and names of hosts in what apt prints.
func redact(text string) string {
	for _, rule := range []struct{ pattern, replacement string }{
		{`\b([a-z+-]+)://[^\s/']+`, "$1://MIRROR"},
		{`(resolve|connect to|connection to|handshake with) '?[^\s']+`, "$1 MIRROR"},
		{`IP: [0-9a-fA-F.:]+`, "IP: MIRROR"},
		{`\([0-9a-fA-F]*[.:][0-9a-fA-F]*[.:][0-9a-fA-F.:]*\)`, "(MIRROR)"},
	} {
		text = regexp.MustCompile(rule.pattern).ReplaceAllString(text, rule.replacement)
	}
	return text
}

func appendFile(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}
