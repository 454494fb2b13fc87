package callgrind

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// columns tells which subpositions a cost line starts with.
type columns struct {
	instr, line bool
}

// parseHeader reads "key: value" lines up to the first line of the body, which
// it leaves unread.
func (p *parser) parseHeader() (*Part, columns, error) {
	part := &Part{}
	var cols columns
	seen := make(map[string]bool)
	for {
		line, ok, err := p.next()
		if err != nil {
			return nil, cols, err
		}
		if !ok {
			return nil, cols, errors.New("truncated: the file ends inside a header")
		}
		if len(line) == 0 {
			continue
		}
		key, value, isHeader := bytes.Cut(line, []byte(":"))
		// totals ends a body, also an empty one.
		if !isHeader || bytes.ContainsAny(key, "= ") || string(key) == "totals" {
			part.Creator, part.PID, part.Cmd = p.creator, p.pid, p.cmd
			if err := p.checkHeader(seen, line); err != nil {
				return nil, cols, err
			}
			p.unread(line)
			return part, cols, nil
		}
		if seen[string(key)] && string(key) != "desc" && string(key) != "event" {
			return nil, cols, fmt.Errorf("second %q line in one header", key)
		}
		seen[string(key)] = true
		if err := p.parseHeaderLine(part, &cols, string(key), strings.TrimSpace(string(value))); err != nil {
			return nil, cols, err
		}
	}
}

// checkHeader makes sure that the body that starts with line can be understood.
func (p *parser) checkHeader(seen map[string]bool, line []byte) error {
	var missing []string
	if !p.versioned {
		missing = append(missing, "version")
	}
	if p.creator == "" {
		missing = append(missing, "creator")
	}
	for _, key := range []string{"positions", "events", "summary"} {
		if !seen[key] {
			missing = append(missing, key)
		}
	}
	if missing != nil {
		return fmt.Errorf("the header ends at %s without %s", quote(line), strings.Join(missing, ", "))
	}
	return nil
}

func (p *parser) parseHeaderLine(part *Part, cols *columns, key, value string) error {
	var err error
	switch key {
	case "version":
		p.versioned = true
		if value != "1" {
			err = fmt.Errorf("version is %q, want 1", value)
		}
	case "creator":
		p.creator = value
		if !strings.HasPrefix(value, "callgrind-3.") {
			err = fmt.Errorf("creator is %q, want callgrind-3.x", value)
		}
	case "pid":
		p.pid, err = parseID(value)
	case "cmd":
		p.cmd = value
	case "part":
		part.Number, err = parseID(value)
	case "thread":
		part.Thread, err = parseID(value)
	case "desc":
		part.Desc = append(part.Desc, value)
	case "event": // the long name of an event, for viewers
	case "positions":
		*cols, err = parseColumns(value)
	case "events":
		part.Events = strings.Fields(value)
		err = checkEvents(part.Events)
	case "summary":
		if part.Events == nil {
			return errors.New("summary stands before events")
		}
		var costs []int64
		if costs, err = parseCosts([]byte(value), nil, len(part.Events)); err == nil {
			part.Summary = costs[0]
		}
	default:
		err = errors.New("unknown header key")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

func parseColumns(value string) (columns, error) {
	switch value {
	case "line":
		return columns{line: true}, nil
	case "instr":
		return columns{instr: true}, nil
	case "instr line":
		return columns{instr: true, line: true}, nil
	}
	return columns{}, fmt.Errorf("%q, want line, instr, or instr line", value)
}

func checkEvents(events []string) error {
	if len(events) == 0 || events[0] != "Ir" {
		return fmt.Errorf("the events are %q, want Ir first", events)
	}
	for i, event := range events {
		if slices.Contains(events[:i], event) {
			return fmt.Errorf("event %q stands twice", event)
		}
	}
	return nil
}
