package report

import (
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/perfpin/perfpin/tasks/throughput"
)

// ThroughputSchema is the number of the throughput results.json that this package
// writes. Any change of a member's meaning is another number.
const ThroughputSchema = 2

// ThroughputResults is the content of target/throughput/results.json. Durations
// are whole nanoseconds where a name ends in _ns; rates are per second. There is no
// host name.
type ThroughputResults struct {
	Schema      int                 `json:"schema"`
	Date        time.Time           `json:"date"`
	CPU         string              `json:"cpu"`
	Processors  int                 `json:"processors"`
	OS          string              `json:"os"`
	Kernel      string              `json:"kernel"` // "Linux 6.1.0"
	Go          string              `json:"go"`
	Server      string              `json:"server"`
	Commit      string              `json:"commit"`
	ServerArgs  []string            `json:"server_args"`
	Nginx       string              `json:"nginx,omitempty"`
	Generator   string              `json:"generator"`
	Latency     string              `json:"latency"` // what the percentiles are
	Connections int                 `json:"connections"`
	DurationNS  time.Duration       `json:"duration_ns"`
	WarmupNS    time.Duration       `json:"warmup_ns"`
	Rounds      int                 `json:"rounds"`
	ServerCPU   int                 `json:"server_processor"`
	LoadCPUs    []int               `json:"load_processors"`
	SameCore    bool                `json:"same_core"` // of those two
	NoQuota     string              `json:"no_quota,omitempty"`
	Requests    []ThroughputRequest `json:"requests"`
}

// ThroughputRequest is one request's. With an error there are no servers.
type ThroughputRequest struct {
	Request        string             `json:"request"`
	DefaultOptions bool               `json:"default_options"`
	Error          string             `json:"error,omitempty"`
	LoadThreads    int                `json:"load_threads"`
	Share          float64            `json:"share"`          // of its processor that each server had
	Repeated       int                `json:"turns_repeated"` // since the hypervisor took processor time
	Servers        []ThroughputServer `json:"servers"`
	Ratios         []ThroughputRatio  `json:"ratios"`
}

// ThroughputServer is one server's, every round of it.
type ThroughputServer struct {
	Server       string             `json:"server"`
	Saturation   string             `json:"saturation"` // "saturated", or why it was not
	PerCPUSecond ThroughputSpread   `json:"requests_per_cpu_second"`
	PerSecond    ThroughputSpread   `json:"requests_per_second"`
	PeakMemory   int64              `json:"peak_memory_bytes"`
	Rounds       []ThroughputSample `json:"rounds"`
}

// ThroughputSpread is over the rounds.
type ThroughputSpread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// ThroughputSample is one round of one server, the windows of all of its turns. The
// parts are of what there was: 1 is all of it.
type ThroughputSample struct {
	Requests   int64                    `json:"requests"`
	DurationNS time.Duration            `json:"duration_ns"`
	CPUNS      time.Duration            `json:"cpu_ns"`
	ServerUse  float64                  `json:"server_use"`
	LoadUse    float64                  `json:"load_use"`
	ServerBusy float64                  `json:"server_processor_busy"` // by any program
	LoadBusy   float64                  `json:"load_processors_busy"`  // by any program
	Throttled  float64                  `json:"throttled"`             // part of a quota's periods
	Stolen     float64                  `json:"stolen"`                // by the hypervisor, in the window where it was most
	Saturation string                   `json:"saturation"`
	LatencyNS  map[string]time.Duration `json:"closed_loop_latency_ns"` // by percentile, the median of the windows'
}

// ThroughputRatio is the first server's rate per processor second by another's. A
// withheld ratio has no spread and no rounds.
type ThroughputRatio struct {
	Against    string            `json:"against"`
	Saturation string            `json:"saturation"`
	Withheld   bool              `json:"withheld"`
	Spread     *ThroughputSpread `json:"spread"`
	Rounds     []float64         `json:"rounds"`
}

// JSON writes results.json.
func (t Throughput) JSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(t.results())
}

func (t Throughput) results() ThroughputResults {
	h := t.Header
	r := ThroughputResults{
		Schema: ThroughputSchema, Date: h.Date.UTC().Truncate(time.Second),
		CPU: h.Machine.CPU, Processors: h.Machine.Processors, OS: h.OS, Kernel: h.Machine.Kernel, Go: h.Go,
		Server: h.Subject, Commit: h.Commit, ServerArgs: append([]string{}, h.SubjectArgs...),
		Nginx: h.Nginx, Generator: h.Generator, Latency: h.Latency,
		Connections: h.Connections, DurationNS: h.Duration, WarmupNS: h.Warmup, Rounds: h.Rounds,
		ServerCPU: h.Placement.Server, LoadCPUs: h.Placement.Load, SameCore: h.Placement.Siblings,
		Requests: []ThroughputRequest{},
	}
	if h.NoQuota != nil {
		r.NoQuota = h.NoQuota.Error()
	}
	for _, row := range t.Rows {
		r.Requests = append(r.Requests, newThroughputRequest(row))
	}
	return r
}

func newThroughputRequest(row throughput.Row) ThroughputRequest {
	r := ThroughputRequest{
		Request: row.Request, DefaultOptions: row.Default, LoadThreads: row.Threads, Share: row.Share, Repeated: row.Repeated,
		Servers: []ThroughputServer{}, Ratios: []ThroughputRatio{},
	}
	if row.Err != nil {
		r.Error = row.Err.Error()
	}
	for _, result := range row.Results {
		server := ThroughputServer{
			Server: result.Server, Saturation: string(result.Saturation()), PeakMemory: result.PeakMemory,
			PerCPUSecond: ThroughputSpread(result.PerCPUSecond()), PerSecond: ThroughputSpread(result.PerSecond()),
		}
		for _, sample := range result.Samples {
			server.Rounds = append(server.Rounds, newThroughputSample(sample))
		}
		r.Servers = append(r.Servers, server)
	}
	for _, ratio := range row.Ratios() {
		out := ThroughputRatio{
			Against: ratio.Against, Saturation: string(ratio.Saturation), Withheld: ratio.Withheld(), Rounds: []float64{},
		}
		if !out.Withheld {
			out.Spread, out.Rounds = new(ThroughputSpread(ratio.Spread)), ratio.Rounds
		}
		r.Ratios = append(r.Ratios, out)
	}
	return r
}

func newThroughputSample(s throughput.Sample) ThroughputSample {
	latency := map[string]time.Duration{}
	for p, value := range s.Percentiles {
		latency[strconv.FormatFloat(p, 'g', -1, 64)] = value
	}
	return ThroughputSample{
		Requests: s.Requests, DurationNS: s.Duration, CPUNS: s.CPU,
		ServerUse: s.Use.Server, LoadUse: s.Use.Load, ServerBusy: s.Use.ServerCPU, LoadBusy: s.Use.LoadCPU, Throttled: s.Use.Throttled, Stolen: s.Use.Stolen,
		Saturation: string(s.Saturation), LatencyNS: latency,
	}
}
