package tasks

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/perfpin/perfpin/tasks/budget"
	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/gobench"
)

const (
	// defaultTime is the longest that one run of one benchmark may take. A run under
	// callgrind takes 0.7 s and up to 50 times the native time of what it counts.
	defaultTime = 2 * time.Minute
	// defaultMemory is the most resident memory of one run, in MiB: nothing is
	// collected while a benchmark is counted.
	defaultMemory = 4096
)

// flags are those of every target that counts, as Mage hands them on.
type flags struct {
	bench, packages, tags, env, toolchain *string
	jobs, memory                          *int
	timeout                               *time.Duration
}

// A selection says which benchmarks are counted and how.
type selection struct {
	bench    *regexp.Regexp // nil: all
	patterns []string       // nil: the module's default
	tags     *string        // nil: as pinned
	pass     []string       // nil: as pinned
	version  string
	jobs     int
	limits   gobench.Limits
}

// read checks every flag and reports all that are wrong.
func (f flags) read() (selection, error) {
	s := selection{
		tags: f.tags, jobs: runtime.NumCPU(),
		limits: gobench.Limits{Time: defaultTime, Memory: defaultMemory << 20},
	}
	var errs []error
	if f.bench != nil {
		pattern, err := regexp.Compile(*f.bench)
		if err != nil {
			errs = append(errs, fmt.Errorf("-bench=%s: %w", *f.bench, err))
		}
		s.bench = pattern
	}
	var err error
	s.patterns, err = readPatterns(f.packages)
	errs = append(errs, err)
	s.pass, err = readPass(f.env)
	errs = append(errs, err)
	if f.toolchain != nil {
		s.version = "go" + strings.TrimPrefix(*f.toolchain, "go")
		if !regexp.MustCompile(`^go1\.[0-9]+(\.[0-9]+|rc[0-9]+)?$`).MatchString(s.version) {
			errs = append(errs, fmt.Errorf("-go=%s: want a released version of Go, as go1.26.8", *f.toolchain))
		}
	}
	errs = append(errs, positive("jobs", f.jobs, &s.jobs))
	if f.timeout != nil {
		s.limits.Time = *f.timeout
		if s.limits.Time <= 0 {
			errs = append(errs, fmt.Errorf("-timeout=%v: want more than 0", s.limits.Time))
		}
	}
	memory := defaultMemory
	errs = append(errs, positive("memory", f.memory, &memory))
	s.limits.Memory = int64(memory) << 20
	return s, errors.Join(errs...)
}

func positive(name string, flag, value *int) error {
	if flag == nil {
		return nil
	}
	if *flag < 1 {
		return fmt.Errorf("-%s=%d: want at least 1", name, *flag)
	}
	*value = *flag
	return nil
}

// readPatterns splits -packages; nil without the flag.
func readPatterns(flag *string) ([]string, error) {
	if flag == nil {
		return nil, nil
	}
	patterns := strings.Fields(strings.ReplaceAll(*flag, ",", " "))
	if len(patterns) == 0 {
		return nil, errors.New("-packages: no pattern")
	}
	return patterns, nil
}

// readPass splits -env: values may hold spaces and commas, so semicolons part them. It
// is nil without the flag, and not where the flag is empty.
func readPass(flag *string) ([]string, error) {
	if flag == nil {
		return nil, nil
	}
	pass := []string{}
	for pair := range strings.SplitSeq(*flag, ";") {
		if pair = strings.TrimSpace(pair); pair != "" {
			pass = append(pass, pair)
		}
	}
	return pass, cleanenv.Check(pass)
}

// asPinned fills in what the pins were taken with where no flag says otherwise: a
// gate needs no flags of its own.
func (s *selection) asPinned(platform budget.Platform) {
	if s.tags == nil {
		tags, _, _ := strings.Cut(platform.Tags, budget.CompilerSeparator)
		s.tags = &tags
	}
	if s.pass == nil {
		s.pass = platform.Env
	}
}

// filtered tells that not all benchmarks of the module are counted.
func (s selection) filtered() bool { return s.bench != nil || s.patterns != nil }
