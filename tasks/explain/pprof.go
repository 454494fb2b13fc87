package explain

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/perfpin/perfpin/tasks/explain/symbols"
)

// The comments of a profile that tell what it is of.
const (
	benchComment = "perfpin bench: "
	itersComment = "perfpin iters: "
)

// WritePprof writes the profile as pprof reads it, compressed: one sample a stack,
// its value the exact instructions of all operations together.
func (p Profile) WritePprof(w io.Writer) error {
	instructions := &profile.ValueType{Type: "instructions", Unit: "count"}
	out := &profile.Profile{
		SampleType: []*profile.ValueType{instructions}, DefaultSampleType: instructions.Type,
		PeriodType: instructions, Period: 1,
		Comments: []string{benchComment + p.Bench, itersComment + strconv.FormatInt(p.Iters, 10)},
		// All there is to know is in the profile: pprof need not look for the program.
		Mapping: []*profile.Mapping{{
			ID: 1, HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true,
		}},
	}
	b := pprofBuilder{out: out, functions: make(map[[2]string]*profile.Function), locations: make(map[string]*profile.Location)}
	for _, c := range p.Costs {
		sample := &profile.Sample{Value: []int64{c.Ir}}
		for _, location := range c.Stack {
			sample.Location = append(sample.Location, b.location(location))
		}
		out.Sample = append(out.Sample, sample)
	}
	if err := out.CheckValid(); err != nil {
		return fmt.Errorf("pprof: %w", err)
	}
	return out.Write(w)
}

type pprofBuilder struct {
	out       *profile.Profile
	functions map[[2]string]*profile.Function
	locations map[string]*profile.Location
}

func (b pprofBuilder) location(l Location) *profile.Location {
	key := fmt.Sprintf("%#v", l)
	known := b.locations[key]
	if known != nil {
		return known
	}
	known = &profile.Location{ID: uint64(len(b.out.Location)) + 1, Mapping: b.out.Mapping[0]}
	// Lines too stand the innermost first.
	for _, f := range l {
		known.Line = append(known.Line, profile.Line{Function: b.function(f), Line: int64(f.Line)})
	}
	b.locations[key] = known
	b.out.Location = append(b.out.Location, known)
	return known
}

func (b pprofBuilder) function(f symbols.Frame) *profile.Function {
	key := [2]string{f.Function, f.File}
	known := b.functions[key]
	if known == nil {
		known = &profile.Function{
			ID: uint64(len(b.out.Function)) + 1, Name: f.Function, SystemName: f.Function, Filename: f.File,
		}
		b.functions[key] = known
		b.out.Function = append(b.out.Function, known)
	}
	return known
}

// ReadPprof reads what WritePprof has written. The name stands in errors.
func ReadPprof(name string, data []byte) (Profile, error) {
	in, err := profile.ParseData(data)
	if err != nil {
		return Profile{}, fmt.Errorf("%s: %w", name, err)
	}
	var p Profile
	for _, comment := range in.Comments {
		if bench, ok := strings.CutPrefix(comment, benchComment); ok {
			p.Bench = bench
		}
		if iters, ok := strings.CutPrefix(comment, itersComment); ok {
			if p.Iters, err = strconv.ParseInt(iters, 10, 64); err != nil {
				return Profile{}, fmt.Errorf("%s: iters: %w", name, err)
			}
		}
	}
	if p.Bench == "" || p.Iters < 1 || len(in.SampleType) != 1 || in.SampleType[0].Type != "instructions" {
		return Profile{}, fmt.Errorf("%s: is no profile of a counted bench", name)
	}
	for _, sample := range in.Sample {
		cost := Cost{Ir: sample.Value[0]}
		for _, location := range sample.Location {
			cost.Stack = append(cost.Stack, readLocation(location))
		}
		if len(cost.Stack) == 0 {
			return Profile{}, fmt.Errorf("%s: a sample has no stack", name)
		}
		p.Costs = append(p.Costs, cost)
	}
	return p, nil
}

func readLocation(in *profile.Location) Location {
	var l Location
	for _, line := range in.Line {
		frame := symbols.Frame{Line: int(line.Line)}
		if line.Function != nil {
			frame.Function, frame.File = line.Function.Name, line.Function.Filename
		}
		l = append(l, frame)
	}
	if l == nil {
		l = Location{{}}
	}
	return l
}
