package throughput

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestJudge(t *testing.T) {
	for name, test := range map[string]struct {
		use  Use
		want Saturation
	}{
		"busy server":                {Use{Server: 0.99, ServerCPU: 1, Load: 0.6, LoadCPU: 0.6, Share: 1}, Saturated},
		"just busy enough":           {Use{Server: 0.95, ServerCPU: 0.95, Load: 1, LoadCPU: 1, Share: 1}, Saturated},
		"just not":                   {Use{Server: 0.949, ServerCPU: 0.949, Load: 1, LoadCPU: 1, Share: 1}, LoadLimited},
		"wrk at its limit":           {Use{Server: 0.83, ServerCPU: 0.84, Load: 0.99, LoadCPU: 1, Share: 1}, LoadLimited},
		"both wait":                  {Use{Server: 0.5, ServerCPU: 0.51, Load: 0.4, LoadCPU: 0.4, Share: 1}, LoadIdle},
		"others beside the server":   {Use{Server: 0.6, ServerCPU: 1, Load: 0.5, LoadCPU: 0.6, Share: 1}, Contended},
		"others beside the load":     {Use{Server: 0.6, ServerCPU: 0.6, Load: 0.5, LoadCPU: 1, Share: 1}, LoadContended},
		"others, and wrk's limit":    {Use{Server: 0.6, ServerCPU: 1, Load: 0.99, LoadCPU: 1, Share: 1}, LoadLimited},
		"one processor":              {Use{Server: 0.6, ServerCPU: 1, Load: 0.4, LoadCPU: 1, Share: 1, Shared: true}, OneProcessor},
		"all of a quota":             {Use{Server: 0.97, ServerCPU: 0.5, Load: 0.6, LoadCPU: 0.6, Share: 0.5}, Saturated},
		"a quota used up":            {Use{Server: 0.92, ServerCPU: 1, Load: 0.4, LoadCPU: 0.4, Share: 0.2, Throttled: 0.96}, Saturated},
		"part of a quota":            {Use{Server: 0.8, ServerCPU: 0.4, Load: 1, LoadCPU: 1, Share: 0.5}, LoadLimited},
		"others, and a quota":        {Use{Server: 0.8, ServerCPU: 1, Load: 0.4, LoadCPU: 0.4, Share: 0.5}, LoadIdle},
		"not a number is not a pass": {Use{Server: math.NaN(), Share: 1}, LoadIdle},
	} {
		if got := Judge(test.use); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestJudgeAll(t *testing.T) {
	for want, windows := range map[Saturation][][]Saturation{
		Saturated:   {{Saturated}, {Saturated, LoadIdle, Saturated}},
		LoadIdle:    {{LoadIdle, Saturated}, {LoadIdle, Contended, Saturated}, {LoadIdle, LoadIdle, Contended}},
		Contended:   {{Contended, Contended, Saturated}, {Contended, Contended, LoadIdle}},
		LoadLimited: {{LoadLimited, Saturated, LoadLimited, Contended, Saturated}},
	} {
		for _, w := range windows {
			if got := judgeAll(w); got != want {
				t.Errorf("%q: got %q, want %q", w, got, want)
			}
		}
	}
}

func TestSpread(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   Spread
	}{
		{[]float64{3}, Spread{3, 3, 3}},
		{[]float64{5, 1, 3}, Spread{3, 1, 5}},
		{[]float64{4, 1, 2, 9}, Spread{3, 1, 9}},
	} {
		before := slices.Clone(test.values)
		if got := spread(test.values); got != test.want || !slices.Equal(before, test.values) {
			t.Errorf("%v: got %v, want %v", before, got, test.want)
		}
	}
}

// rounds makes samples of a second each, saturated, from requests per CPU-second.
func rounds(rates ...int64) []Sample {
	var samples []Sample
	for _, rate := range rates {
		samples = append(samples, Sample{Requests: rate, Duration: time.Second, CPU: time.Second, Saturation: Saturated})
	}
	return samples
}

func TestRatiosArePerRound(t *testing.T) {
	row := Row{Results: []Result{
		{Server: "a", Samples: rounds(200, 300, 900)},
		{Server: "b", Samples: rounds(100, 100, 900)},
		{Server: "c", Samples: rounds(400, 100, 100)},
	}}
	got := row.Ratios()
	// The ratio of the medians would be 3 for b.
	if len(got) != 2 || got[0].Against != "b" || got[0].Spread != (Spread{2, 1, 3}) || got[1].Spread != (Spread{3, 0.5, 9}) {
		t.Errorf("got %+v", got)
	}
	if got[0].Withheld() || got[0].Saturation != Saturated {
		t.Errorf("got %+v", got[0])
	}
	row.Results[1].Samples[0].Saturation = LoadIdle
	row.Results[1].Samples[1].Saturation = LoadIdle
	row.Results[2].Samples[0].Saturation = LoadLimited
	row.Results[2].Samples[1].Saturation = LoadLimited
	got = row.Ratios()
	if !got[0].Withheld() || got[1].Withheld() || got[1].Saturation != LoadLimited {
		t.Errorf("got %+v", got)
	}
	if (Row{Err: errors.New("x")}).Ratios() != nil {
		t.Error("a request without results has ratios")
	}
}

func TestNextStrain(t *testing.T) {
	limited := func(use float64) Sample { return Sample{Use: Use{Server: use}, Saturation: LoadLimited} }
	saturated := Sample{Use: Use{Server: 1}, Saturation: Saturated}
	idle := Sample{Use: Use{Server: 0.5}, Saturation: LoadIdle}
	contended := Sample{Use: Use{Server: 0.5}, Saturation: Contended}
	for name, test := range map[string]struct {
		from        strain
		samples     []Sample
		processors  int
		connections int
		want        strain
		again       bool
	}{
		"all busy":                 {strain{1, 1}, []Sample{saturated, saturated}, 8, 50, strain{1, 1}, false},
		"too few connections":      {strain{1, 1}, []Sample{idle, saturated}, 8, 50, strain{1, 1}, false},
		"others' doing":            {strain{1, 1}, []Sample{contended, saturated}, 8, 50, strain{1, 1}, false},
		"more threads":             {strain{1, 1}, []Sample{limited(0.8), saturated}, 2, 50, strain{2, 1}, true},
		"no uneven threads":        {strain{2, 1}, []Sample{limited(0.8), saturated}, 8, 50, strain{2, 0.6}, true},
		"no more processors":       {strain{1, 1}, []Sample{limited(0.8), saturated}, 1, 50, strain{1, 0.6}, true},
		"the fastest decides":      {strain{1, 1}, []Sample{saturated, limited(0.5), limited(0.9)}, 1, 50, strain{1, 0.4}, true},
		"a smaller share":          {strain{1, 0.6}, []Sample{limited(0.9), saturated}, 1, 50, strain{1, 0.4}, true},
		"no more than a share":     {strain{1, 0.6}, []Sample{saturated, {Use: Use{Server: 1.3}, Saturation: LoadLimited}}, 1, 50, strain{1, 0.45}, true},
		"a share that leaves idle": {strain{1, 0.6}, []Sample{{Use: Use{Server: 0.9}, Saturation: LoadIdle}}, 1, 50, strain{1, 0.4}, true},
		"given up":                 {strain{1, 0.15}, []Sample{limited(0.5)}, 1, 50, strain{1, 1}, false},
		"hopeless":                 {strain{1, 1}, []Sample{limited(0.1)}, 1, 50, strain{1, 1}, false},
	} {
		got, again := test.from.next(test.samples, test.processors, test.connections)
		if got.threads != test.want.threads || math.Abs(got.share-test.want.share) > 1e-9 || again != test.again {
			t.Errorf("%s: got %+v, %v, want %+v, %v", name, got, again, test.want, test.again)
		}
	}
}

func TestCalibrationEnds(t *testing.T) {
	for use := 0.0; use <= 1.2; use += 0.05 {
		to, again := strain{1, 1}, true
		for tries := 0; again; tries++ {
			if to, again = to.next([]Sample{{Use: Use{Server: use}, Saturation: LoadLimited}}, 64, 64); tries > 100 {
				t.Fatalf("use %v: does not end at %+v", use, to)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	const wire = 1200
	l := load{connections: 10, duration: time.Second}
	good := func() outcome {
		return outcome{duration: time.Second, statuses: map[int]int64{200: 1000}, errors: map[string]int64{}, bytes: 1024 * 1000}
	}
	body := make([]byte, 1024)
	for name, test := range map[string]struct {
		wire   bool
		change func(o *outcome)
		want   string
	}{
		"good":                {false, func(o *outcome) {}, ""},
		"good wire":           {true, func(o *outcome) { o.bytes = 1000 * wire }, ""},
		"cut by the end":      {true, func(o *outcome) { o.bytes = 1010 * wire }, ""},
		"status not told":     {false, func(o *outcome) { o.statuses = map[int]int64{0: 1000} }, ""},
		"no error":            {false, func(o *outcome) { o.errors["read error"] = 0 }, ""},
		"an error":            {false, func(o *outcome) { o.errors["read error"] = 2 }, "2 times: read error"},
		"a 404":               {false, func(o *outcome) { o.statuses[404] = 1 }, "1 answers have status 404, want 200"},
		"a 304":               {false, func(o *outcome) { o.statuses[304] = 1 }, "1 answers have status 304, want 200"},
		"nothing":             {false, func(o *outcome) { o.statuses = nil }, "not one whole answer"},
		"many cut off":        {false, func(o *outcome) { o.cut = 11 }, "the end cut off 11 requests on 10 connections"},
		"milliseconds":        {false, func(o *outcome) { o.duration *= 1000 }, "says that it took 16m40s; asked for 1s, and it ran for 1.1s"},
		"microseconds":        {false, func(o *outcome) { o.duration /= 1000 }, "says that it took 1ms"},
		"one byte short":      {false, func(o *outcome) { o.bytes-- }, "received 1023999 bytes in 1000 answers, want 1024 bytes in each"},
		"one byte more":       {false, func(o *outcome) { o.bytes++ }, "received 1024001 bytes"},
		"one short wire byte": {true, func(o *outcome) { o.bytes = 1000*wire - 1 }, "received 1199999 bytes"},
		"one more wire byte":  {true, func(o *outcome) { o.bytes = 1010*wire + 1 }, "received 1212001 bytes"},
	} {
		o := good()
		test.change(&o)
		g := generator{wire: test.wire}
		err := g.validate(o, answer{status: 200, body: body}, wire, l, 1100*time.Millisecond)
		wantError(t, name, err, test.want)
	}
	o := good()
	o.errors["timeout"], o.errors["read error"], o.statuses[500] = 1, 2, 3
	err := generator{}.validate(o, answer{status: 200, body: body}, wire, l, 1100*time.Millisecond)
	if err == nil || len(strings.Split(err.Error(), "; ")) != 3 {
		t.Errorf("not every failure is told: %v", err)
	}
}

func TestPlace(t *testing.T) {
	pairs := func(cpu int) []int { return []int{cpu &^ 1, cpu | 1} }
	alone := func(cpu int) []int { return []int{cpu} }
	for _, test := range []struct {
		allowed  []int
		siblings func(int) []int
		want     Placement
	}{
		{[]int{0, 1}, alone, Placement{Server: 1, Load: []int{0}}},
		{[]int{0, 1}, pairs, Placement{Server: 1, Load: []int{0}, Siblings: true}},
		{[]int{0, 1, 2, 3}, pairs, Placement{Server: 3, Load: []int{0, 1}}},
		{[]int{2, 4, 7}, pairs, Placement{Server: 7, Load: []int{2, 4}}},
		{[]int{5}, alone, Placement{Server: 5, Load: []int{5}}},
	} {
		got, err := place(test.allowed, test.siblings)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%v: got %+v, %v, want %+v", test.allowed, got, err, test.want)
		}
		if got.Shared() != (len(test.allowed) == 1) {
			t.Errorf("%v: shared is %v", test.allowed, got.Shared())
		}
	}
	if _, err := place(nil, alone); err == nil {
		t.Error("no processor: no error")
	}
}

func TestFindCgroups(t *testing.T) {
	const hybrid = "30 24 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n" +
		"31 24 0:27 / /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory\n" +
		"32 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	const unified = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	for name, test := range map[string]struct {
		own, mounts string
		want        []cgroupPlace
	}{
		"version 1":        {"3:cpu,cpuacct:/a/b\n2:memory:/c\n0::/d\n", hybrid, []cgroupPlace{{"/sys/fs/cgroup/cpu,cpuacct/a/b", false}}},
		"version 1, top":   {"3:cpu:/\n0::/\n", hybrid, []cgroupPlace{{"/sys/fs/cgroup/cpu,cpuacct", false}}},
		"version 2":        {"0::/user.slice/x.scope\n", unified, []cgroupPlace{{"/sys/fs/cgroup/user.slice/x.scope", true}, {"/sys/fs/cgroup/user.slice", true}}},
		"version 2, top":   {"0::/\n", unified, []cgroupPlace{{"/sys/fs/cgroup", true}}},
		"mounted in part":  {"0::/docker/1/x\n", strings.Replace(unified, " / ", " /docker/1 ", 1), []cgroupPlace{{"/sys/fs/cgroup/x", true}, {"/sys/fs/cgroup", true}}},
		"not below":        {"0::/../..\n", strings.Replace(unified, " / ", " /docker/1 ", 1), []cgroupPlace{{"/sys/fs/cgroup", true}}},
		"no controller":    {"2:memory:/c\n", hybrid, nil},
		"nothing":          {"", "", nil},
		"no such mount":    {"3:cpu:/\n", unified, nil},
		"cpuset is no cpu": {"3:cpuset:/\n", strings.ReplaceAll(hybrid, "rw,cpu,", "rw,cpuset,"), nil},
	} {
		if got := findCgroups(test.own, test.mounts); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

func FuzzFindCgroups(f *testing.F) {
	f.Add("0::/user.slice/x.scope\n", "/")
	f.Add("3:cpu:/../../etc\n", "/a")
	f.Fuzz(func(t *testing.T, own, root string) {
		mounts := "30 24 0:26 " + root + " /mnt rw - cgroup2 none rw\n31 24 0:26 " + root + " /mnt rw - cgroup none rw,cpu\n"
		for _, place := range findCgroups(own, mounts) {
			// A space in the root shifts the fields of the line, which the kernel escapes.
			if !strings.ContainsAny(root, " \t\n\v\f\r\u0085\u00a0") && !strings.HasPrefix(place.dir+"/", "/mnt/") {
				t.Errorf("%q, %q: got %q", own, root, place.dir)
			}
		}
	})
}
