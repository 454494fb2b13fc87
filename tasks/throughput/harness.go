package throughput

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/tool"
)

// The names of the servers in results.
const (
	Subject    = "perfpin"
	Nginx      = "nginx"
	NginxCache = "nginx, open_file_cache"
)

// Options say what is measured and how. All are required.
type Options struct {
	// Dir is a folder of the harness's own. What is in it is overwritten.
	Dir string
	// Server is the absolute path of the server that is compared, a perfpin-serve,
	// Args are arguments for it beside the address and the folder, and Commit says
	// what it was built from.
	Server string
	Args   []string
	Commit string
	// Go is the version of the toolchain.
	Go string
	// Generator is "oha", "wrk", or "" for the one that is found, in this order.
	Generator string
	// Alone leaves nginx out: then there are no ratios.
	Alone       bool
	Requests    []Request
	Connections int
	Rounds      int
	// Duration is how long each server is under load in a round, Warmup before the first
	// one, in whole seconds.
	Duration, Warmup time.Duration
}

// A Step tells what the harness is doing. Done and Total count the rounds of one
// request; Total is 0 before the first.
type Step struct {
	What        string
	Done, Total int
}

// A Harness holds the running servers. It must be stopped.
type Harness struct {
	options   Options
	generator generator
	placement Placement
	header    Header
	servers   []*server // the subject first
	cacheOff  *server   // nil where no request wants it
	quota     *quota
	noQuota   error
}

// Start writes the files, starts the servers and waits until they listen.
func Start(ctx context.Context, o Options) (*Harness, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	h := &Harness{options: o}
	// Both are looked for, so that all that is missing is told at once.
	var generatorErr, nginxErr error
	h.generator, generatorErr = findGenerator(ctx, o.Generator)
	var n nginx
	if !o.Alone {
		n, nginxErr = findNginx(ctx)
	}
	if err := errors.Join(generatorErr, nginxErr); err != nil {
		return nil, err
	}
	allowed, err := allowedCPUs()
	if err != nil {
		return nil, err
	}
	if h.placement, err = place(allowed, siblingsOf); err != nil {
		return nil, err
	}
	if h.header, err = h.describe(ctx, n); err != nil {
		return nil, err
	}
	site := filepath.Join(o.Dir, "site")
	if err := errors.Join(writeSite(site), writeWrkScript(o.Dir)); err != nil {
		return nil, err
	}
	if err := h.startServers(ctx, n, site); err != nil {
		return nil, errors.Join(err, h.Stop())
	}
	return h, nil
}

func (o Options) validate() error {
	var errs []error
	if o.Connections < 1 {
		errs = append(errs, fmt.Errorf("connections: got %d, want at least 1", o.Connections))
	}
	if o.Rounds < 1 {
		errs = append(errs, fmt.Errorf("rounds: got %d, want at least 1", o.Rounds))
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"duration", o.Duration}, {"warm-up", o.Warmup}} {
		if d.value < time.Second || d.value%time.Second != 0 {
			errs = append(errs, fmt.Errorf("%s: got %v, want whole seconds, at least one", d.name, d.value))
		}
	}
	if !o.Alone {
		errs = append(errs, checkNginxPath(o.Dir))
	}
	return errors.Join(errs...)
}

func (h *Harness) startServers(ctx context.Context, n nginx, site string) error {
	subject := func(name, folder string, more ...string) serverSpec {
		return serverSpec{
			name: name, path: h.options.Server, env: []string{"GOMAXPROCS=1"},
			log: filepath.Join(h.options.Dir, folder, "log"),
			args: func(addr string) ([]string, error) {
				args := append([]string{"-addr", addr, "-one-worker"}, h.options.Args...)
				return append(append(args, more...), site), nil
			},
		}
	}
	specs := []serverSpec{subject(Subject, "perfpin")}
	if !h.options.Alone {
		for _, cache := range []bool{false, true} {
			name, folder := Nginx, "nginx"
			if cache {
				name, folder = NginxCache, "nginx-open_file_cache"
			}
			specs = append(specs, n.spec(name, filepath.Join(h.options.Dir, folder), site, h.options.Connections, cache))
		}
	}
	for _, spec := range specs {
		s, err := spec.start(ctx, h.placement.Server)
		if err != nil {
			return err
		}
		h.servers = append(h.servers, s)
	}
	var err error
	for _, r := range h.options.Requests {
		if r.cacheOff && h.cacheOff == nil && err == nil {
			h.cacheOff, err = subject(Subject, "perfpin-cache-off", "-cache", "0").start(ctx, h.placement.Server)
		}
	}
	return err
}

// all returns every server that runs.
func (h *Harness) all() []*server {
	if h.cacheOff == nil {
		return h.servers
	}
	return append([]*server{h.cacheOff}, h.servers...)
}

// Header says where and how it is measured.
func (h *Harness) Header() Header {
	header := h.header
	header.NoQuota = h.noQuota
	return header
}

// Stop ends every server and waits until nothing of them runs.
func (h *Harness) Stop() error {
	var errs []error
	for _, s := range h.all() {
		if err := ended(s.stop()); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.name, err))
		}
	}
	if h.quota != nil {
		errs = append(errs, h.quota.remove())
	}
	return errors.Join(errs...)
}

// Measure measures one request of the options. Steps are sent on the channel.
func (h *Harness) Measure(ctx context.Context, r Request, steps chan<- Step) Row {
	row := Row{Request: r.Name, Default: r.Default()}
	if err := h.measure(ctx, r, &row, steps); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx) // and not what it has led to
		}
		row.Results, row.Err = nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	return row
}

func (h *Harness) measure(ctx context.Context, r Request, row *Row, steps chan<- Step) error {
	servers := h.servers
	if r.cacheOff {
		servers = append([]*server{h.cacheOff}, servers[1:]...)
	}
	to, err := h.calibrate(ctx, r, servers, steps)
	if err != nil {
		return fmt.Errorf("warm-up: %w", err)
	}
	for again := true; again; {
		if err := h.rounds(ctx, r, servers, to, row, steps); err != nil {
			return err
		}
		// What kept every server busy in the warm-up may not have done so in most rounds.
		if to, again, err = h.harder(to, typical(row.Results)); err != nil {
			return err
		}
	}
	for i, s := range servers {
		if row.Results[i].PeakMemory, err = peakMemory(s.pid); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// rounds measures all rounds into the row, in the place of what is there.
func (h *Harness) rounds(ctx context.Context, r Request, servers []*server, to strain, row *Row, steps chan<- Step) error {
	row.Threads, row.Share, row.Repeated, row.Results = to.threads, to.share, 0, nil
	for _, s := range servers {
		row.Results = append(row.Results, Result{Server: s.name})
	}
	for round := range h.options.Rounds {
		steps <- Step{What: r.Name, Done: round, Total: h.options.Rounds}
		samples, repeated, err := h.round(ctx, r, servers, to)
		if err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
		row.Repeated += repeated
		for i, sample := range samples {
			row.Results[i].Samples = append(row.Results[i].Samples, sample)
		}
	}
	return nil
}

// calibrate warms the servers up until the load can keep all of them busy, or
// nothing more can be done about it. What it measures is thrown away.
func (h *Harness) calibrate(ctx context.Context, r Request, servers []*server, steps chan<- Step) (strain, error) {
	to := strain{threads: 1, share: 1}
	if err := h.limit(to.share); err != nil {
		return strain{}, err
	}
	for {
		steps <- Step{What: r.Name + ": warm-up"}
		samples, _, err := quietest(func() ([]Sample, error) { return h.turn(ctx, r, servers, to, h.options.Warmup) })
		if err != nil {
			return strain{}, err
		}
		next, again, err := h.harder(to, samples)
		if err != nil || !again {
			return next, err
		}
		to = next
	}
}

// harder returns the strain to use after what was measured with to, and whether it is
// another, which has to be measured again.
func (h *Harness) harder(to strain, samples []Sample) (next strain, again bool, err error) {
	next, again = to.next(samples, len(h.placement.Load), h.options.Connections)
	if again && next.share < 1 && !h.canLimit() {
		return to, false, nil
	}
	return next, again, h.limit(next.share)
}

// limit gives all servers a share of their processor.
func (h *Harness) limit(share float64) error {
	if h.quota == nil {
		return nil
	}
	return h.quota.set(share)
}

// canLimit makes the cgroup when it is first needed.
func (h *Harness) canLimit() bool {
	if h.quota == nil && h.noQuota == nil {
		var pids []int
		for _, s := range h.all() {
			pids = append(pids, s.child.Pid())
			if s.pid != s.child.Pid() {
				pids = append(pids, s.pid)
			}
		}
		h.quota, h.noQuota = newQuota(pids)
	}
	return h.quota != nil
}

func (h *Harness) describe(ctx context.Context, n nginx) (Header, error) {
	o := h.options
	version, err := tool.Version(ctx, o.Server, "-version")
	if err != nil {
		return Header{}, err
	}
	header := Header{
		Date: time.Now(), Machine: machine.Here(), OS: machine.OS(), Go: o.Go,
		Subject: version, Commit: o.Commit, SubjectArgs: o.Args, Nginx: n.version,
		Generator: h.generator.version, Latency: h.generator.latency,
		Connections: o.Connections, Duration: o.Duration, Warmup: o.Warmup, Rounds: o.Rounds,
		Placement: h.placement,
	}
	header.Host, err = os.Hostname()
	return header, err
}
