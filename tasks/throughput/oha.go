package throughput

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/perfpin/perfpin/tasks/tool"
)

const hintOha = "cargo install oha"

func findOha(ctx context.Context) (generator, error) {
	path, err := tool.Find("oha", hintOha)
	if err != nil {
		return generator{}, err
	}
	version, err := tool.Version(ctx, path, "--version")
	if err != nil {
		return generator{}, err
	}
	modern, err := hasOutputFormat(version)
	if err != nil {
		return generator{}, fmt.Errorf("%s: %w", path, err)
	}
	return generator{
		name: "oha", path: path, version: version, parse: parseOha,
		command: func(l load) []string { return ohaArgs(l, modern) },
		latency: "closed-loop, not corrected for coordinated omission",
	}, nil
}

// hasOutputFormat tells from what --version prints whether the version is 1.9 or
// later, which has --output-format json in place of --json.
func hasOutputFormat(version string) (bool, error) {
	match := regexp.MustCompile(`^oha v?(\d{1,6})\.(\d{1,6})(\.|$)`).FindStringSubmatch(version)
	if match == nil {
		return false, fmt.Errorf("--version: got %q, want the version of oha", version)
	}
	major, _ := strconv.Atoi(match[1]) // they are digits
	minor, _ := strconv.Atoi(match[2])
	return major > 1 || (major == 1 && minor >= 9), nil
}

func ohaArgs(l load, modern bool) []string {
	args := []string{
		"--no-tui", "-c", strconv.Itoa(l.connections),
		"-z", strconv.Itoa(int(l.duration/time.Second)) + "s",
		// Otherwise it follows redirects, and asks for every encoding that it knows.
		"--redirect", "0", "--disable-compression",
	}
	if modern {
		args = append(args, "--output-format", "json")
	} else {
		args = append(args, "--json")
	}
	for _, h := range l.headers {
		args = append(args, "-H", h.String())
	}
	return append(args, l.url)
}

// ohaCut is what oha's errorDistribution calls the requests under way at the end
// (ClientError::Deadline in its src/client.rs).
const ohaCut = "aborted due to deadline"

// parseOha reads the JSON of any version. The counts come from the distributions:
// summary.requestsPerSec counts errors too.
func parseOha(output []byte) (outcome, error) {
	if !gjson.ValidBytes(output) {
		return outcome{}, fmt.Errorf("oha: printed no JSON: %q", tail(output))
	}
	result := gjson.ParseBytes(output)
	o := outcome{statuses: map[int]int64{}, errors: map[string]int64{}, percentiles: map[float64]time.Duration{}}
	var errs []error
	fail := func(what string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("oha: %s: %w", what, err))
		}
	}
	var err error
	o.duration, err = jsonDuration(result.Get("summary.total"))
	fail("summary.total", err)
	o.bytes, err = whole64(result.Get("summary.totalData"))
	fail("summary.totalData", err)
	for _, name := range []string{"statusCodeDistribution", "errorDistribution"} {
		if !result.Get(name).IsObject() {
			fail(name, fmt.Errorf("got %q, want an object", result.Get(name).Raw))
		}
	}
	result.Get("statusCodeDistribution").ForEach(func(key, value gjson.Result) bool {
		status, err := strconv.Atoi(key.Str)
		if err == nil && (status < 100 || status > 999) {
			err = fmt.Errorf("status %d: out of range", status)
		}
		fail("statusCodeDistribution", err)
		n, err := whole64(value)
		fail("statusCodeDistribution."+key.Str, err)
		o.statuses[status] += n
		return true
	})
	result.Get("errorDistribution").ForEach(func(key, value gjson.Result) bool {
		n, err := whole64(value)
		fail("errorDistribution."+key.Str, err)
		if key.Str == ohaCut {
			o.cut += n
		} else {
			o.errors[key.Str] += n
		}
		return true
	})
	fail("latencyPercentiles", readPercentiles(result.Get("latencyPercentiles"), o.percentiles))
	return o, errors.Join(errs...)
}

// readPercentiles reads {"p50": 0.0003, …}; null stands for one that there is not.
func readPercentiles(object gjson.Result, into map[float64]time.Duration) error {
	var errs []error
	object.ForEach(func(key, value gjson.Result) bool {
		number, found := strings.CutPrefix(key.Str, "p")
		p, err := strconv.ParseFloat(number, 64)
		if !found || err != nil || !(p > 0 && p < 100) {
			errs = append(errs, fmt.Errorf("unknown percentile %q", key.Str))
			return true
		}
		if value.Type == gjson.Null {
			return true
		}
		d, err := jsonDuration(value)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key.Str, err))
			return true
		}
		into[p] = d
		return true
	})
	return errors.Join(errs...)
}

// jsonDuration reads a number of seconds, or a text with a unit. The schema.json in
// oha's repository gives seconds for every duration; whether a number really is in
// seconds is seen by comparison with a clock.
func jsonDuration(value gjson.Result) (time.Duration, error) {
	switch value.Type {
	case gjson.Number:
		return seconds(value.Num)
	case gjson.String:
		return parseDuration(value.Str)
	}
	return 0, fmt.Errorf("got %q, want a duration", value.Raw)
}
