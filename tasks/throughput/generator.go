package throughput

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/perfpin/perfpin/tasks/tool"
)

// A generator is a load generator that was found.
type generator struct {
	name, path string
	// version is its first line about itself.
	version string
	// command makes its command line; the environment is added later.
	command func(l load) []string
	// parse reads what it has printed.
	parse func(output []byte) (outcome, error)
	// wire tells that it counts the bytes of heads too, and not of bodies alone.
	wire bool
	// latency says what its percentiles are.
	latency string
}

// A load is what a generator is asked to do.
type load struct {
	url                  string
	headers              []header
	connections, threads int
	duration             time.Duration
	// dir is a folder for files that it needs.
	dir string
}

// An outcome is what a generator says that happened.
type outcome struct {
	duration time.Duration
	// statuses are the whole answers by status; 0 stands for any below 400, from a
	// generator that does not tell those apart.
	statuses map[int]int64
	// errors are what went wrong, by what it was.
	errors map[string]int64
	// cut is the number of requests that the end has cut off, which is no error.
	cut   int64
	bytes int64
	// percentiles of the latency by number, as 99.9.
	percentiles map[float64]time.Duration
}

// requests is the number of whole answers.
func (o outcome) requests() int64 {
	var sum int64
	for _, n := range o.statuses {
		sum += n
	}
	return sum
}

// findGenerator finds oha or else wrk, or only the one that is named.
func findGenerator(ctx context.Context, name string) (generator, error) {
	switch name {
	case "oha":
		return findOha(ctx)
	case "wrk":
		return findWrk(ctx)
	case "":
	default:
		return generator{}, fmt.Errorf("load generator %q: want oha or wrk", name)
	}
	if _, err := tool.Find("oha", ""); err == nil {
		return findOha(ctx)
	}
	if _, err := tool.Find("wrk", ""); err == nil {
		return findWrk(ctx)
	}
	return generator{}, errors.New("load generator: neither oha nor wrk can be found on PATH\n" + hintWrk)
}

// validate reports everything that makes the outcome no measurement. wire is the
// length of one whole answer, elapsed what the clock of this process says.
func (g generator) validate(o outcome, want answer, wire int64, l load, elapsed time.Duration) error {
	var errs []error
	for what, n := range o.errors {
		if n != 0 {
			errs = append(errs, fmt.Errorf("%d times: %s", n, what))
		}
	}
	for status, n := range o.statuses {
		if n != 0 && status != want.status && status != 0 {
			errs = append(errs, fmt.Errorf("%d answers have status %d, want %d", n, status, want.status))
		}
	}
	if o.requests() == 0 {
		errs = append(errs, errors.New("not one whole answer"))
	}
	if o.cut > int64(l.connections) {
		errs = append(errs, fmt.Errorf("the end cut off %d requests on %d connections", o.cut, l.connections))
	}
	// Where processors are busy, threads start late and wait for answers under way; a
	// number in another unit than was taken for it misses by much more.
	if o.duration > elapsed || o.duration < l.duration/2 {
		errs = append(errs, fmt.Errorf("says that it took %v; asked for %v, and it ran for %v",
			o.duration, l.duration, elapsed.Round(time.Millisecond)))
	}
	if errs == nil {
		errs = append(errs, g.validateBytes(o, int64(len(want.body)), wire, l))
	}
	return joinLine(errs)
}

// validateBytes compares the bytes received with those of the answers counted. It
// finds what a count of answers alone does not: another status, a short body, an
// error page.
func (g generator) validateBytes(o outcome, body, wire int64, l load) error {
	each, cut := body, int64(0)
	if g.wire {
		// The end cuts off at most one answer on each connection.
		each, cut = wire, int64(l.connections)*wire
	}
	least := o.requests() * each
	if o.bytes < least || o.bytes > least+cut {
		return fmt.Errorf("received %d bytes in %d answers, want %d bytes in each", o.bytes, o.requests(), each)
	}
	return nil
}
