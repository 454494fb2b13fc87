package throughput

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// loadGrace is how much longer than its window a load generator may run.
const loadGrace = 30 * time.Second

// leastCost is the processor time below which a server cannot have answered a
// request: reading and writing a socket alone takes several times as much. Then it
// is not the process that is under load.
const leastCost = 500 * time.Nanosecond

// A Sample is one valid window of one server, or those of a round together.
type Sample struct {
	// Requests is the number of whole answers in Duration, as the load generator says.
	Requests int64
	Duration time.Duration
	// CPU is the processor time that the server used.
	CPU        time.Duration
	Use        Use
	Saturation Saturation
	// Percentiles are of the closed-loop latency, by number, as 99.9.
	Percentiles map[float64]time.Duration
}

// PerCPUSecond is the number of requests per second of the server's processor time.
func (s Sample) PerCPUSecond() float64 { return float64(s.Requests) / s.CPU.Seconds() }

// PerSecond is the number of requests per second.
func (s Sample) PerSecond() float64 { return float64(s.Requests) / s.Duration.Seconds() }

// window puts a server under load for a while. Everything that makes the window
// invalid is an error.
func (h *Harness) window(ctx context.Context, s *server, r Request, to strain, duration time.Duration) (Sample, error) {
	if err := s.alive(); err != nil {
		return Sample{}, err
	}
	found, err := check(ctx, s.addr, r)
	if err != nil {
		return Sample{}, fmt.Errorf("check before the window: %w", err)
	}
	l := load{
		url: "http://" + s.addr + "/" + r.file.name, headers: r.headers(found.etag),
		connections: h.options.Connections, threads: to.threads, duration: duration, dir: h.options.Dir,
	}
	before, err := h.read(s)
	if err != nil {
		return Sample{}, err
	}
	run, loadErr := h.run(ctx, l)
	after, err := h.read(s)
	if err != nil {
		// Why the server is gone tells more than what the load generator made of it.
		return Sample{}, errors.Join(loadErr, s.alive(), err)
	}
	if loadErr != nil {
		return Sample{}, loadErr
	}
	sample := h.sample(run, before, after, to)
	loadErr = h.generator.validate(run.outcome, r.want(), found.wire, l, run.elapsed)
	if loadErr != nil {
		loadErr = fmt.Errorf("%s: %w", h.generator.name, loadErr)
	} else if sample.CPU < time.Duration(sample.Requests)*leastCost {
		loadErr = fmt.Errorf("used %v of processor time for %d requests: it is not the process that answered",
			sample.CPU, sample.Requests)
	}
	again, checkErr := check(ctx, s.addr, r)
	if checkErr == nil && again != found {
		checkErr = fmt.Errorf("got ETag %s and an answer of %d bytes, had %s and %d",
			again.etag, again.wire, found.etag, found.wire)
	}
	if checkErr != nil {
		checkErr = fmt.Errorf("check after the window: %w", checkErr)
	}
	return sample, errors.Join(loadErr, checkErr, s.alive())
}

// A reading is of the clocks around a window.
type reading struct {
	at         time.Time
	cpu        time.Duration // of the server's process
	processors map[int]processorTime
	// throttled is the number of periods in which a quota ran out.
	throttled int64
}

func (h *Harness) read(s *server) (reading, error) {
	processors, err := processorTimes()
	cpu, err2 := cpuTime(s.pid)
	r := reading{at: time.Now(), cpu: cpu, processors: processors}
	if err := errors.Join(err, err2); err != nil || h.quota == nil {
		return r, err
	}
	r.throttled, err = h.quota.throttled()
	return r, err
}

// A loadRun is one run of the load generator.
type loadRun struct {
	outcome outcome
	elapsed time.Duration
	cpu     time.Duration // of its process
}

func (h *Harness) run(ctx context.Context, l load) (loadRun, error) {
	var out bytes.Buffer
	started := time.Now()
	child, err := tool.Command{
		Path: h.generator.path, Args: h.generator.command(l), Dir: h.options.Dir,
		// oha takes as many threads as the host has cores, whatever it may use of them.
		Env:    cleanenv.Tool(os.Environ(), fmt.Sprintf("TOKIO_WORKER_THREADS=%d", l.threads)),
		Stdout: &out, CPUs: h.placement.Load[:l.threads], Timeout: l.duration + loadGrace,
	}.Start(ctx)
	if err != nil {
		return loadRun{}, err
	}
	if err := child.Wait(); err != nil {
		return loadRun{}, err
	}
	run := loadRun{elapsed: time.Since(started)}
	state := child.State()
	run.cpu = state.UserTime() + state.SystemTime()
	run.outcome, err = h.generator.parse(out.Bytes())
	return run, err
}

// sample reckons what a window says. The processors are watched for a little longer
// than there is load, while the load generator starts and ends.
func (h *Harness) sample(run loadRun, before, after reading, to strain) Sample {
	o := run.outcome
	elapsed := after.at.Sub(before.at)
	load := h.placement.Load[:to.threads]
	notIdle := func(cpus ...int) float64 {
		var idle time.Duration
		for _, cpu := range cpus {
			idle += after.processors[cpu].idle - before.processors[cpu].idle
		}
		return 1 - idle.Seconds()/(elapsed.Seconds()*float64(len(cpus)))
	}
	var taken time.Duration
	for _, cpu := range append([]int{h.placement.Server}, load...) {
		taken = max(taken, after.processors[cpu].stolen-before.processors[cpu].stolen)
	}
	cpu := after.cpu - before.cpu
	use := Use{
		Server:    cpu.Seconds() / (o.duration.Seconds() * to.share),
		ServerCPU: notIdle(h.placement.Server),
		Load:      run.cpu.Seconds() / (o.duration.Seconds() * float64(to.threads)),
		LoadCPU:   notIdle(load...),
		Share:     to.share,
		Throttled: (time.Duration(after.throttled-before.throttled) * quotaPeriod).Seconds() / o.duration.Seconds(),
		Stolen:    taken.Seconds() / elapsed.Seconds(),
		Shared:    h.placement.Shared(),
	}
	return Sample{
		Requests: o.requests(), Duration: o.duration, CPU: cpu,
		Use: use, Saturation: Judge(use), Percentiles: o.percentiles,
	}
}
