package callgrind

import (
	"bytes"
	"errors"
	"fmt"
)

// A functionKey tells the functions of one part apart.
type functionKey struct{ object, file, name string }

// body is the state of the part whose body is being read.
type body struct {
	part  *Part
	cols  columns
	known map[functionKey]*Function
	sums  []int64 // self cost so far, one for each event
	costs []int64 // of the line at hand, reused

	object string
	file   string
	fileAt int32 // file in Profile.Files
	fn     *Function
	// last is the position of the last self cost: relative positions start from
	// it. The line after calls= or jump= is relative too, but callgrind does not
	// move on from it (fprint_jcc in callgrind/dump.c).
	last      position
	callee    *Function
	calleeObj string // pending cob and cfi, for the cfn that follows
	calleeFil string
}

// parseBody reads up to and including the "totals:" line.
func (p *parser) parseBody(part *Part, cols columns) error {
	p.body = body{
		part: part, cols: cols,
		known: make(map[functionKey]*Function),
		sums:  make([]int64, len(part.Events)),
		costs: make([]int64, 0, len(part.Events)),
	}
	for {
		line, ok, err := p.next()
		if err != nil {
			return err
		}
		if !ok {
			return errors.New("truncated: the file ends without totals")
		}
		if len(line) == 0 {
			continue
		}
		if totals, ok := bytes.CutPrefix(line, []byte("totals: ")); ok {
			p.closeFunction()
			return p.parseTotals(totals)
		}
		switch line[0] {
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '-', '*':
			err = p.parseCostLine(line)
		default:
			err = p.parseSpec(line)
		}
		if err != nil {
			return err
		}
	}
}

func (p *parser) parseTotals(value []byte) error {
	totals, err := parseCosts(value, nil, len(p.sums))
	if err != nil {
		return fmt.Errorf("totals: %w", err)
	}
	for i, sum := range p.sums {
		var total int64 // zeros at the end are not written
		if i < len(totals) {
			total = totals[i]
		}
		if total != sum {
			return fmt.Errorf("totals: %s is %d, but the self costs of the part add up to %d", p.part.Events[i], total, sum)
		}
	}
	p.part.Total = totals[0]
	return nil
}

// parseCostLine reads "position cost…" and adds it to the function at hand.
func (p *parser) parseCostLine(line []byte) error {
	pos, costs, err := p.parsePositionAndCosts(line)
	if err != nil {
		return err
	}
	p.last = pos
	if p.fn == nil {
		return fmt.Errorf("cost line %s before any fn=", quote(line))
	}
	for i, cost := range costs {
		if p.sums[i], err = add(p.sums[i], cost); err != nil {
			return fmt.Errorf("cost line %s: the sum of %s: %w", quote(line), p.part.Events[i], err)
		}
	}
	p.fn.Self += costs[0]
	if p.detail {
		p.allCosts = append(p.allCosts, Cost{File: p.fileAt, Line: pos.line, Addr: pos.addr, Ir: costs[0]})
	}
	return nil
}

func (p *parser) parsePositionAndCosts(line []byte) (position, []int64, error) {
	pos, rest, err := parsePosition(line, p.cols, p.last)
	if err != nil {
		return pos, nil, fmt.Errorf("cost line %s: %w", quote(line), err)
	}
	p.costs, err = parseCosts(rest, p.costs, len(p.sums))
	if err != nil {
		return pos, nil, fmt.Errorf("cost line %s: %w", quote(line), err)
	}
	return pos, p.costs, nil
}

// parseSpec reads a "key=value" line: where the costs that follow belong, or a
// call or jump with the line that says from where.
func (p *parser) parseSpec(line []byte) error {
	key, value, ok := bytes.Cut(line, []byte("="))
	if !ok {
		return fmt.Errorf("unexpected line %s", quote(line))
	}
	var err error
	switch string(key) {
	case "ob":
		p.object, err = parseName(value, &p.objects)
	case "fl", "fi", "fe":
		if p.file, err = parseName(value, &p.files); err == nil {
			p.fileAt = p.indexFile(p.file)
		}
	case "fn":
		err = p.parseFunction(value)
	case "cob":
		p.calleeObj, err = parseName(value, &p.objects)
	case "cfi", "cfl":
		p.calleeFil, err = parseName(value, &p.files)
	case "cfn":
		err = p.parseCallee(value)
	case "calls":
		err = p.parseCall(value)
	case "jfi":
		_, err = parseName(value, &p.files)
	case "jfn":
		_, err = parseName(value, &p.names)
	case "jump", "jcnd":
		err = p.parseJump(string(key), value)
	default:
		return fmt.Errorf("unknown line %s", quote(line))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", quote(line), err)
	}
	return nil
}

func (p *parser) indexFile(name string) int32 {
	if !p.detail {
		return 0
	}
	at, ok := p.fileIndex[name]
	if !ok {
		at = int32(len(p.profile.Files))
		p.fileIndex[name] = at
		p.profile.Files = append(p.profile.Files, name)
	}
	return at
}

func (p *parser) parseFunction(value []byte) error {
	name, err := parseName(value, &p.names)
	if err != nil {
		return err
	}
	p.closeFunction()
	p.fn = p.function(functionKey{p.object, p.file, name})
	p.callee, p.calleeObj, p.calleeFil = nil, "", ""
	return nil
}

// closeFunction gives the function at hand what was read for it. A function
// that comes a second time, with its costs in two places, gets a copy of both.
func (p *parser) closeFunction() {
	if p.fn != nil && p.detail {
		costs := p.allCosts[p.firstCost:len(p.allCosts):len(p.allCosts)]
		calls := p.allCalls[p.firstCall:len(p.allCalls):len(p.allCalls)]
		if p.fn.Costs == nil && p.fn.Calls == nil {
			p.fn.Costs, p.fn.Calls = costs, calls
		} else {
			p.fn.Costs = append(p.fn.Costs, costs...)
			p.fn.Calls = append(p.fn.Calls, calls...)
		}
	}
	p.firstCost, p.firstCall = len(p.allCosts), len(p.allCalls)
}

func (p *parser) function(key functionKey) *Function {
	fn := p.known[key]
	if fn == nil {
		fn = &Function{Object: key.object, File: key.file, Name: key.name}
		p.known[key] = fn
		p.part.Functions = append(p.part.Functions, fn)
	}
	return fn
}

// parseCallee reads cfn=, the last of the lines that name a callee. Its object
// and file are those of the caller's position unless cob= and cfi= said
// otherwise. A callee that cost nothing is named without a calls= line.
func (p *parser) parseCallee(value []byte) error {
	name, err := parseName(value, &p.names)
	if err != nil {
		return err
	}
	key := functionKey{p.object, p.file, name}
	if p.calleeObj != "" {
		key.object = p.calleeObj
	}
	if p.calleeFil != "" {
		key.file = p.calleeFil
	}
	p.callee, p.calleeObj, p.calleeFil = p.function(key), "", ""
	return nil
}
