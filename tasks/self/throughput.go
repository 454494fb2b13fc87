package self

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/perfpin/perfpin/tasks/atomicfile"
	"github.com/perfpin/perfpin/tasks/gate"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/throughput"
	"github.com/perfpin/perfpin/tasks/tool"
)

const (
	defaultDuration    = 4 * time.Second
	defaultWarmup      = 3 * time.Second
	defaultConnections = 50
	defaultRounds      = 5
)

// Throughput compares the server with nginx in requests per second of processor
// time. It takes about ten minutes; results are kept in target/throughput.
func Throughput(ctx context.Context,
	duration *time.Duration, // load on each server in a round, in whole seconds; default 4s
	warmup *time.Duration, // load before the first window, thrown away; default 3s
	connections *int, // default 50
	rounds *int, // rounds of each request; default 5
	only *string, // only the requests whose name matches this regular expression, as '^1 KiB$'
	serverOnly *bool, // leave nginx out
	frontEnd *string, // of the server, as its -front-end takes it: fasthttp or event-loop; default: the server's
	server *string, // measure this perfpin-serve; default: build it
	load *string, // oha or wrk; default: the first of them that there is
	atleast *float64, // exit with 3 where a median ratio to nginx is lower, with the server's default options
) error {
	o := throughput.Options{
		Connections: or(connections, defaultConnections), Rounds: or(rounds, defaultRounds),
		Duration: or(duration, defaultDuration), Warmup: or(warmup, defaultWarmup),
		Generator: or(load, ""), Alone: or(serverOnly, false),
	}
	if frontEnd != nil {
		o.Args = []string{"-front-end", *frontEnd}
	}
	if o.Alone && atleast != nil {
		return fmt.Errorf("-atleast=%v: there is no ratio with -serverOnly", *atleast)
	}
	pattern, err := regexp.Compile(or(only, ""))
	if err == nil {
		o.Requests, err = throughput.Find(pattern.MatchString)
	}
	if err != nil {
		return fmt.Errorf("-only=%s: %w", *only, err)
	}
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	if err := findServer(ctx, &o, or(server, "")); err != nil {
		return err
	}
	measured, err := measure(ctx, o)
	if len(measured.Rows) > 0 {
		err = errors.Join(measured.Terminal(os.Stdout), err)
	}
	if err != nil {
		return err
	}
	return conclude(measured.Rows, atleast)
}

// or returns what a flag says, or else the default.
func or[T any](flag *T, otherwise T) T {
	if flag == nil {
		return otherwise
	}
	return *flag
}

// findServer builds the server, unless another is named.
func findServer(ctx context.Context, o *throughput.Options, named string) error {
	g, err := openModule(ctx)
	if err != nil {
		return err
	}
	o.Go, o.Dir = g.Version, filepath.Join(g.Root, "target", "throughput")
	if named != "" {
		path, err := tool.Find(named, "")
		if err != nil {
			return fmt.Errorf("-server=%w", err)
		}
		o.Server = path
		return nil
	}
	o.Server = filepath.Join(o.Dir, "perfpin-serve")
	if _, err := g.Build(ctx, serverCommand, o.Server); err != nil {
		return err
	}
	o.Commit = serverCommit(ctx, g.Root)
	return nil
}

// measure measures all requests. After each, what there is so far is written; what
// there is when it fails is returned too.
func measure(ctx context.Context, o throughput.Options) (measured report.Throughput, err error) {
	// An earlier run's are gone as soon as this one may fail.
	for _, name := range []string{"results.json", "results.md"} {
		if err := os.Remove(filepath.Join(o.Dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return measured, err
		}
	}
	harness, err := throughput.Start(ctx, o)
	if err != nil {
		return measured, err
	}
	defer func() { err = errors.Join(err, harness.Stop()) }()
	steps, finish := follow()
	defer finish()
	for _, request := range o.Requests {
		row := harness.Measure(ctx, request, steps)
		if ctx.Err() != nil {
			return measured, context.Cause(ctx)
		}
		measured.Rows, measured.Header = append(measured.Rows, row), harness.Header()
		if err := write(o.Dir, measured); err != nil {
			return measured, err
		}
	}
	return measured, nil
}

func write(dir string, measured report.Throughput) error {
	var machine, people bytes.Buffer
	return errors.Join(
		measured.JSON(&machine),
		measured.Markdown(&people),
		atomicfile.Write(filepath.Join(dir, "results.json"), machine.Bytes()),
		atomicfile.Write(filepath.Join(dir, "results.md"), people.Bytes()),
	)
}

// conclude turns requests without a result, and with a bound those whose ratio is
// too low, into an error.
func conclude(rows []throughput.Row, atleast *float64) error {
	failed := 0
	var low, unknown []string
	for _, row := range rows {
		if row.Err != nil {
			failed++
		}
		for _, ratio := range row.Ratios() {
			switch {
			case atleast == nil || !row.Default || ratio.Against != throughput.Nginx:
			case ratio.Withheld():
				unknown = append(unknown, fmt.Sprintf("%s: ratio withheld: %s", row.Request, ratio.Saturation))
			case ratio.Median < *atleast:
				low = append(low, fmt.Sprintf("%s: × nginx is %.3f, want at least %v (%s)",
					row.Request, ratio.Median, *atleast, ratio.Saturation))
			}
		}
	}
	text := strings.Join(append(unknown, low...), "\n")
	if text != "" {
		text += "\n"
	}
	text += fmt.Sprintf("requests measured: %d of %d; ratios withheld: %d; ratios too low: %d",
		len(rows)-failed, len(rows), len(unknown), len(low))
	switch {
	case failed+len(unknown) > 0:
		return &gate.ExitError{Status: gate.StatusFailed, Text: text}
	case len(low) > 0:
		return &gate.ExitError{Status: gate.StatusGate, Text: text}
	}
	return nil
}

// follow shows steps on standard error until finish is called.
func follow() (steps chan<- throughput.Step, finish func()) {
	in, out, done := make(chan throughput.Step), make(chan report.Step), make(chan struct{})
	go func() {
		defer close(out)
		for step := range in {
			out <- report.Step{What: step.What, Done: step.Done, Total: step.Total, Notable: true}
		}
	}()
	go func() {
		defer close(done)
		report.Follow(io.Writer(os.Stderr), out, terminalWidth(os.Stderr))
	}()
	return in, func() {
		close(in)
		<-done
	}
}

// terminalWidth is in cells, 0 where there is no terminal.
func terminalWidth(file *os.File) int {
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil || os.Getenv("TERM") == "dumb" {
		return 0
	}
	return columns
}
