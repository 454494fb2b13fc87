package throughput

// A Saturation tells whether a server was busy all the time, and if not, why.
type Saturation string

const (
	// Saturated servers used at least 95 % of the processor time that they had, or used
	// their quota up in 95 % of its periods.
	Saturated Saturation = "saturated"
	// Contended means that something else ran on the server's processor: the server
	// always had work, but not always the processor.
	Contended Saturation = "not saturated: other programs used the server's processor"
	// LoadLimited means that the load generator used all of its processors.
	LoadLimited Saturation = "not saturated: the load generator is at its limit"
	// LoadContended means that something else ran on the load generator's processors.
	LoadContended Saturation = "not saturated: other programs used the load generator's processors"
	// LoadIdle means that both waited for each other: there are too few connections.
	// Then a ratio says nothing, and there is none.
	LoadIdle Saturation = "not saturated: too few connections"
	// OneProcessor means that server and load generator had to share one.
	OneProcessor Saturation = "not saturated: server and load generator share the only processor"
)

// busy is from when on something counts as busy all the time. What is missing to
// 1 is what starting and ending the load takes in a window of a few seconds.
const busy = 0.95

// A Use is how busy everybody was in a window. Each is a part of what there was: 1 is
// all of it.
type Use struct {
	// Server is the server's processor time by what it may use.
	Server float64
	// ServerCPU and LoadCPU are the time in which the processors of the server and of
	// the load generator were not idle, whoever used them.
	ServerCPU, LoadCPU float64
	// Load is the load generator's processor time by what it may use.
	Load float64
	// Share is what the server may use of its processor: 1, or what a quota leaves.
	Share float64
	// Throttled is the part of a quota's periods in which the server used it up.
	Throttled float64
	// Stolen is the part that the hypervisor took of one of the processors, of that from
	// which it took most.
	Stolen float64
	// Shared tells that both have only one processor together.
	Shared bool
}

// Judge tells whether the server was saturated.
func Judge(u Use) Saturation {
	switch {
	case u.Shared:
		return OneProcessor
	case u.Server >= busy || u.Throttled >= busy:
		return Saturated
	// A load generator that never waits would not have kept an undisturbed server busy
	// either.
	case u.Load >= busy:
		return LoadLimited
	// Under a quota, the server's processor is meant to be idle, or free for others.
	case u.Share == 1 && u.ServerCPU >= busy:
		return Contended
	case u.LoadCPU >= busy:
		return LoadContended
	}
	return LoadIdle
}

// severity lists all judgements, the one that says most against the figures first.
func severity() []Saturation {
	return []Saturation{LoadIdle, OneProcessor, LoadLimited, LoadContended, Contended, Saturated}
}

// worse returns the one of two that says more against the figures.
func worse(a, b Saturation) Saturation {
	for _, s := range severity() {
		if s == a || s == b {
			return s
		}
	}
	return a
}

// judgeAll returns what holds for several windows of one server: a single one that
// was disturbed does not move a median, half of them do. Then the most frequent
// cause is told.
func judgeAll(windows []Saturation) Saturation {
	count := map[Saturation]int{}
	for _, s := range windows {
		count[s]++
	}
	if 2*count[Saturated] > len(windows) {
		return Saturated
	}
	most := LoadIdle
	for _, s := range severity() {
		if s != Saturated && count[s] > count[most] {
			most = s
		}
	}
	return most
}
