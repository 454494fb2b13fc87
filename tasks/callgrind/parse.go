package callgrind

import (
	"bytes"
	"fmt"
)

const firstLine = "# callgrind format"

// Parse reads a whole callgrind.out file. The name stands in errors, as
// "name:line: what".
func Parse(name string, data []byte) (*Profile, error) {
	return parse(name, data, true)
}

// ParseSelf is Parse without Costs, Calls and Files: the totals and each
// function's Self. Every line is checked as Parse does.
func ParseSelf(name string, data []byte) (*Profile, error) {
	return parse(name, data, false)
}

func parse(name string, data []byte, detail bool) (*Profile, error) {
	p := &parser{data: data, detail: detail, profile: &Profile{}, fileIndex: make(map[string]int32)}
	if detail {
		// A cost is a line, and a call is three.
		lines := bytes.Count(data, []byte("\n"))
		p.allCosts = make([]Cost, 0, lines)
		p.allCalls = make([]Call, 0, lines/3)
	}
	if err := p.parseFile(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
	}
	return p.profile, nil
}

// A parser walks one file line by line. Names are numbered by the file ("(12)
// main.main" once, "(12)" from then on), separately for objects, source files
// and functions.
type parser struct {
	data   []byte
	at     int // in data, of the next line
	line   int // number of the last line read
	detail bool

	profile   *Profile
	fileIndex map[string]int32 // of Profile.Files
	// Costs and Calls of all functions stand in one slice each: growing one per
	// function cost a third of the time. Those of the function at hand start at
	// firstCost and firstCall.
	allCosts             []Cost
	allCalls             []Call
	firstCost, firstCall int
	total                int64 // of all parts so far

	creator   string // these hold for the parts that follow
	pid       int
	cmd       string
	versioned bool
	objects   nameTable
	files     nameTable
	names     nameTable

	body
}

// next returns the next line without its newline. It reports false at the end
// of the file; a last line without a newline is an error, because callgrind
// writes whole lines.
func (p *parser) next() ([]byte, bool, error) {
	rest := p.data[p.at:]
	if len(rest) == 0 {
		return nil, false, nil
	}
	p.line++
	end := bytes.IndexByte(rest, '\n')
	if end < 0 {
		return nil, false, fmt.Errorf("truncated: the last line %s has no newline", quote(rest))
	}
	p.at += end + 1
	return rest[:end], true, nil
}

// unread makes next return the line again.
func (p *parser) unread(line []byte) {
	p.at -= len(line) + 1
	p.line--
}

func (p *parser) parseFile() error {
	line, ok, err := p.next()
	if err != nil {
		return err
	}
	if !ok || string(line) != firstLine {
		p.line = 1
		return fmt.Errorf("not a callgrind profile: the first line is %s, want %q", quote(line), firstLine)
	}
	for {
		if err := p.parsePart(); err != nil {
			return err
		}
		more, err := p.skipToPart()
		if err != nil || !more {
			return err
		}
	}
}

// skipToPart moves to the next part. With --combine-dumps=yes each thread's
// part has the whole header and numbers its names anew; a later dump of the
// same process has only "part:" and keeps the numbers.
func (p *parser) skipToPart() (bool, error) {
	for {
		line, ok, err := p.next()
		if err != nil || !ok {
			return false, err
		}
		switch {
		case len(line) == 0:
		case string(line) == firstLine:
			p.objects, p.files, p.names = nameTable{}, nameTable{}, nameTable{}
			p.creator, p.pid, p.cmd, p.versioned = "", 0, "", false
			return true, nil
		case bytes.HasPrefix(line, []byte("part: ")):
			p.unread(line)
			return true, nil
		default:
			return false, fmt.Errorf("unexpected line %s after totals", quote(line))
		}
	}
}

func (p *parser) parsePart() error {
	part, columns, err := p.parseHeader()
	if err != nil {
		return err
	}
	if err := p.parseBody(part, columns); err != nil {
		return err
	}
	if p.total, err = add(p.total, part.Total); err != nil {
		return fmt.Errorf("the totals of all parts: %w", err)
	}
	p.profile.Parts = append(p.profile.Parts, part)
	return nil
}

// quote shows a line in an error, cut where it is long.
func quote(line []byte) string {
	const most = 80
	if len(line) > most {
		return fmt.Sprintf("%q (cut)", line[:most])
	}
	return fmt.Sprintf("%q", line)
}
