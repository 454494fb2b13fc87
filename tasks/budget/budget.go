// Package budget reads budgets.toml strictly, changes it without losing a
// comment, and writes it atomically.
//
// The file holds the platform that the pins were taken with, the band that
// holds for all of them, and one line a benchmark:
//
//	[pinned]
//	go = "go1.26.8"
//	target = "linux/amd64/v1"
//	libc = "static"
//	cpu = "avx2"
//	seed = "fixed"
//	tags = ""
//	env = ["LANG=C"]       # may be absent
//	valgrind = "3.27.1"
//
//	[gate]
//	band = "2%"            # this is also what holds where there is no [gate]
//
//	[budgets]
//	"benches/rpc.HandleLine/ping" = { ir = 2000.5, iters = 200, allocs = 3, bytes = 96, band = "0.5%" }
//
// Here ir, allocs and bytes are per operation; allocs, bytes and band may be
// absent. Counts are exact: a pin's total is ir × iters rounded to a whole
// number, and ir is written with as many decimals as make that the counted one.
package budget

// DefaultBand holds where the file has no [gate] band.
const DefaultBand = Band("2%")

// A File is a budgets.toml that has been read.
type File struct {
	Name   string // as given to Parse, for messages
	Pinned Platform
	Band   Band   // of [gate]
	Pins   []*Pin // in the order of the file

	byBench map[string]*Pin
	data    []byte
	layout  layout
}

// Pin returns the pin of a benchmark.
func (f *File) Pin(bench string) (*Pin, bool) {
	pin, ok := f.byBench[bench]
	return pin, ok
}

// BandOf returns the band that holds for a pin: its own, or that of [gate].
func (f *File) BandOf(pin *Pin) Band {
	if pin.Band != "" {
		return pin.Band
	}
	return f.Band
}

// A Pin is the recorded count of one benchmark.
type Pin struct {
	Bench string
	Line  int // in the file, from 1; 0 for a pin that is not read from one
	// Ir is instructions per operation, Iters the operations of the counted
	// region.
	Ir    Decimal
	Iters int64
	// Allocs and Bytes are heap allocations and allocated bytes per operation;
	// "" where they are not pinned.
	Allocs, Bytes Decimal
	Band          Band // "" where that of [gate] holds

	total, allocs, bytes int64
}

// Total returns the pinned instructions of all Iters operations.
func (p *Pin) Total() int64 { return p.total }

// AllocsTotal returns the pinned allocations of all Iters operations, and
// whether they are pinned.
func (p *Pin) AllocsTotal() (int64, bool) { return p.allocs, p.Allocs != "" }

// BytesTotal returns the pinned bytes of all Iters operations, and whether they
// are pinned.
func (p *Pin) BytesTotal() (int64, bool) { return p.bytes, p.Bytes != "" }

// NewPin returns the pin of what was counted: total instructions, allocations
// and bytes of iters operations. It has no band of its own.
func NewPin(bench string, iters, total, allocs, bytes int64) (Pin, error) {
	pin := Pin{
		Bench: bench, Iters: iters,
		total: total, allocs: allocs, bytes: bytes,
	}
	if err := checkCounts(pin); err != nil {
		return Pin{}, err
	}
	pin.Ir = PerOperation(total, iters)
	pin.Allocs = PerOperation(allocs, iters)
	pin.Bytes = PerOperation(bytes, iters)
	return pin, nil
}
