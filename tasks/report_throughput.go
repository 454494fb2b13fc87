package tasks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/report"
	"github.com/perfpin/perfpin/tasks/report/page"
)

// throughput returns what `mage throughput` kept.
func (g *gatherer) throughput() page.Section[page.Throughput] {
	s := page.Section[page.Throughput]{Notes: []string{}}
	path := filepath.Join("target", "throughput", "results.json")
	data, err := os.ReadFile(filepath.Join(g.root, path))
	if errors.Is(err, os.ErrNotExist) {
		// The target is that of the one repository that has the server.
		if _, err := os.Stat(filepath.Join(g.root, "server", "cmd", "perfpin-serve")); err == nil {
			lack(&s, "not measured yet", "go tool mage throughput")
		}
		return s
	}
	var results *report.ThroughputResults
	if err == nil {
		results, err = report.ReadThroughput(filepath.ToSlash(path), data)
	}
	if err != nil {
		fail(g, &s, err)
		return s
	}
	s.Measured = new(results.Date)
	s.Commit, s.Dirty = strings.CutSuffix(results.Commit, ", modified")
	s.Machine = &machine.Machine{CPU: results.CPU, Processors: results.Processors, Kernel: results.Kernel}
	s.Data = throughputOf(results)
	return s
}

func throughputOf(results *report.ThroughputResults) *page.Throughput {
	t := &page.Throughput{Requests: []page.ThroughputRequest{}, Conditions: []string{
		fmt.Sprintf("%s; %d connections, rounds: %d of %v, load by %s",
			results.Server, results.Connections, results.Rounds, results.DurationNS, results.Generator),
	}}
	if results.Nginx != "" {
		t.Conditions[0] += ", beside " + results.Nginx
	} else {
		t.Conditions = append(t.Conditions, "nginx was not measured")
	}
	for _, r := range results.Requests {
		request := page.ThroughputRequest{Request: r.Request, Error: r.Error, Servers: []page.ThroughputServer{}, Ratios: r.Ratios}
		for _, server := range r.Servers {
			request.Servers = append(request.Servers, page.ThroughputServer{
				Server: server.Server, Saturation: server.Saturation,
				PerCPUSecond: server.PerCPUSecond, PerSecond: server.PerSecond,
			})
		}
		t.Requests = append(t.Requests, request)
	}
	return t
}
