package throughput

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/perfpin/perfpin/tasks/tool"
)

const hintWrk = "hint: apt-get install wrk"

//go:embed wrk.lua
var wrkScript []byte

func findWrk(ctx context.Context) (generator, error) {
	path, err := tool.Find("wrk", strings.TrimPrefix(hintWrk, "hint: "))
	if err != nil {
		return generator{}, err
	}
	version, err := wrkVersion(ctx, path)
	if err != nil {
		return generator{}, err
	}
	return generator{
		name: "wrk", path: path, version: version, command: wrkArgs, parse: parseWrk, wire: true,
		// stats_correct in src/stats.c, called from main.
		latency: "closed-loop; wrk itself adds samples for stalls longer than two mean cycles, " +
			"which is no full correction for coordinated omission",
	}, nil
}

// wrkVersion asks with -v, after which wrk exits with 1.
func wrkVersion(ctx context.Context, path string) (string, error) {
	version, err := tool.Version(ctx, path, "-v")
	var failure *tool.Error
	if errors.As(err, &failure) && failure.ExitCode == 1 && failure.Cause == nil {
		version, err = printed(ctx, path, "-v"), nil
	}
	version, _, _ = strings.Cut(version, " Copyright")
	if err == nil && !strings.HasPrefix(version, "wrk ") {
		err = fmt.Errorf("%s: -v: got %q, want the version of wrk", path, version)
	}
	return version, err
}

// printed returns the first line that a program prints, whatever its status.
func printed(ctx context.Context, path string, args ...string) string {
	var out bytes.Buffer
	// What it has printed is what counts; the caller looks at that.
	_ = tool.Command{Path: path, Args: args, Stdout: &out, Stderr: &out, Timeout: loadGrace}.Run(ctx)
	line, _, _ := strings.Cut(out.String(), "\n")
	return strings.TrimSpace(line)
}

// wrkTimeout is when wrk counts an answer as timed out; the latencies that it can
// tell end there.
const wrkTimeout = 10 * time.Second

func wrkArgs(l load) []string {
	args := []string{
		"-c", strconv.Itoa(l.connections), "-t", strconv.Itoa(l.threads),
		// wrk takes whole seconds only.
		"-d", strconv.Itoa(int(l.duration/time.Second)) + "s",
		"--timeout", strconv.Itoa(int(wrkTimeout/time.Second)) + "s",
		"-s", filepath.Join(l.dir, "wrk.lua"),
	}
	for _, h := range l.headers {
		args = append(args, "-H", h.String())
	}
	return append(args, l.url)
}

func writeWrkScript(dir string) error {
	return os.WriteFile(filepath.Join(dir, "wrk.lua"), wrkScript, 0o644)
}

// parseWrk reads the line that the script writes.
func parseWrk(output []byte) (outcome, error) {
	_, rest, found := bytes.Cut(output, []byte("\nperfpin-json "))
	line, _, whole := bytes.Cut(rest, []byte("\n"))
	if !found || !whole || !gjson.ValidBytes(line) {
		return outcome{}, fmt.Errorf("wrk: printed no result: %q", tail(output))
	}
	result := gjson.ParseBytes(line)
	var errs []error
	number := func(path string) int64 {
		n, err := whole64(result.Get(path))
		if err != nil {
			errs = append(errs, fmt.Errorf("wrk: %s: %w", path, err))
		}
		return n
	}
	bad := number("errors.status")
	o := outcome{
		duration: time.Duration(number("duration_us")) * time.Microsecond,
		bytes:    number("bytes"),
		// It tells only whether a status is above 399; a response function in the
		// script would tell them apart, but halves what wrk can do.
		statuses: map[int]int64{0: number("requests") - bad},
		errors: map[string]int64{
			"answer with a status above 399": bad,
			"connect error":                  number("errors.connect"),
			"read error":                     number("errors.read"),
			"write error":                    number("errors.write"),
			"timeout":                        number("errors.timeout"),
		},
		percentiles: map[float64]time.Duration{
			50: time.Duration(number("latency_us.p50")) * time.Microsecond,
			90: time.Duration(number("latency_us.p90")) * time.Microsecond,
			99: time.Duration(number("latency_us.p99")) * time.Microsecond,
			// A dot in a gjson path stands for a level.
			99.9: time.Duration(number(`latency_us.p99\.9`)) * time.Microsecond,
		},
	}
	return o, errors.Join(errs...)
}

// whole64 returns a JSON number that counts something.
func whole64(value gjson.Result) (int64, error) {
	// Above 2^53, float64 and so JSON's usual readers do not tell neighbours apart.
	if value.Type != gjson.Number || value.Num < 0 || value.Num > 1<<53 || value.Num != math.Trunc(value.Num) {
		return 0, fmt.Errorf("got %q, want a whole number", value.Raw)
	}
	return int64(value.Num), nil
}

// tail returns the end of an output, for an error.
func tail(output []byte) []byte {
	const most = 300
	return output[max(0, len(output)-most):]
}
