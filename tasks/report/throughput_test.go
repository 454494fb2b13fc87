package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/throughput"
)

// server makes a server's result from the requests that it answered in a second of
// each round, using the given part of its processor.
func server(name string, use float64, saturation throughput.Saturation, requests ...int64) throughput.Result {
	result := throughput.Result{Server: name, PeakMemory: 10 << 20}
	for _, n := range requests {
		result.Samples = append(result.Samples, throughput.Sample{
			Requests: n, Duration: time.Second, CPU: time.Duration(use * float64(time.Second)),
			Use:        throughput.Use{Server: use, Load: 0.5, ServerCPU: use, LoadCPU: 0.6, Share: 1},
			Saturation: saturation,
			Percentiles: map[float64]time.Duration{
				50: 312 * time.Microsecond, 99: 1804 * time.Microsecond, 99.9: 9 * time.Millisecond,
			},
		})
	}
	return result
}

// measured has a row of each kind: plain, not saturated, withheld, with a quota,
// and failed.
func measured() Throughput {
	const full = throughput.Saturated
	row := func(request string, results ...throughput.Result) throughput.Row {
		return throughput.Row{Request: request, Default: true, Threads: 1, Share: 1, Results: results}
	}
	limited := row("16 KiB",
		server("perfpin", 0.83, throughput.LoadLimited, 150_000, 149_000, 151_000),
		server("nginx", 0.99, full, 90_000, 91_000, 89_000))
	quota := row("1 MiB", server("perfpin", 0.98, full, 1500, 1510, 1520), server("nginx", 0.97, full, 500, 505, 510))
	quota.Threads, quota.Share, quota.Repeated = 2, 0.55, 7
	quota.Results[1].Samples[0].Use.Stolen = 0.12
	limited.Repeated = 1
	off := row("1 KiB, cache off", server("perfpin", 0.99, full, 30_000), server("nginx", 0.99, full, 90_000))
	off.Default = false
	return Throughput{
		Header: throughput.Header{
			Date: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Host: "secret-host", OS: "Example OS 1", Go: "go1.26.8",
			Machine: machine.Machine{CPU: "Example CPU @ 2.00GHz", Processors: 4, Kernel: "Linux 6.1.0"},
			Subject: "perfpin-serve v1.0.0", Commit: "0123456789ab", SubjectArgs: []string{"-front-end", "event-loop"},
			Nginx: "nginx/1.22.1", Generator: "wrk 4.1.0 [epoll]", Latency: "closed-loop, not corrected",
			Connections: 50, Duration: 3 * time.Second, Warmup: 3 * time.Second, Rounds: 3,
			Placement: throughput.Placement{Server: 3, Load: []int{0, 1}, Siblings: true},
			NoQuota:   errors.New("mkdir /sys/fs/cgroup/x: permission denied\nmkdir /sys/fs/cgroup/y: permission denied"),
		},
		Rows: []throughput.Row{
			row("1 KiB", server("perfpin", 0.99, full, 170_000, 168_000, 171_000), server("nginx", 0.98, full, 100_000, 101_000, 99_000)),
			limited, quota,
			row("304 by ETag", server("perfpin", 0.4, throughput.LoadIdle, 70_000), server("nginx", 0.98, full, 100_000)),
			{Request: "gzip sidecar", Default: true, Threads: 1, Share: 1,
				Err: errors.New("gzip sidecar: round 2: nginx: wrk: 3 times: read error\x1b[2J\nhint: none")},
			off,
		},
	}
}

func TestThroughputGolden(t *testing.T) {
	var terminal, markdown, machine bytes.Buffer
	m := measured()
	if err := errors.Join(m.Terminal(&terminal), m.Markdown(&markdown), m.JSON(&machine)); err != nil {
		t.Fatal(err)
	}
	golden(t, "throughput.golden", terminal.Bytes())
	golden(t, "throughput.golden.md", markdown.Bytes())
	golden(t, "throughput.golden.json", machine.Bytes())
	for name, kept := range map[string]string{"Markdown": markdown.String(), "JSON": machine.String()} {
		if strings.Contains(kept, m.Header.Host) {
			t.Errorf("%s holds the host's name", name)
		}
	}
}

// TestThroughputMarks demands that no figure of a server that was not saturated
// looks like the others, in any output.
func TestThroughputMarks(t *testing.T) {
	m := measured()
	var terminal, markdown bytes.Buffer
	if err := errors.Join(m.Terminal(&terminal), m.Markdown(&markdown)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{terminal.String(), strings.ReplaceAll(markdown.String(), `\*`, "*")} {
		for _, want := range []string{"180,723*", "1.99* (", "175,000*", "withheld*", "the load generator is at its limit", "too few connections"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in\n%s", want, text)
			}
		}
	}
	r := m.results()
	if withheld := r.Requests[3].Ratios[0]; !withheld.Withheld || withheld.Spread != nil || len(withheld.Rounds) != 0 {
		t.Errorf("JSON tells a ratio that is withheld: %+v", withheld)
	}
	if limited := r.Requests[1]; limited.Ratios[0].Saturation != string(throughput.LoadLimited) ||
		limited.Servers[0].Saturation != string(throughput.LoadLimited) {
		t.Errorf("JSON does not mark %+v", limited)
	}
}

func TestThroughputEmpty(t *testing.T) {
	var terminal, markdown, machine bytes.Buffer
	m := Throughput{Header: measured().Header}
	if err := errors.Join(m.Terminal(&terminal), m.Markdown(&markdown), m.JSON(&machine)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(terminal.String(), "req/s ") || strings.Contains(markdown.String(), "|---") || !json.Valid(machine.Bytes()) {
		t.Errorf("got\n%s\n%s\n%s", &terminal, &markdown, &machine)
	}
}
