package callgrind

import (
	"bytes"
	"errors"
	"fmt"
)

// parseCall reads "calls=count target" and the line after it: the position of
// the call and its inclusive cost, which is no self cost.
func (p *parser) parseCall(value []byte) error {
	callee := p.callee
	if p.fn == nil || callee == nil {
		return errors.New("no fn= and cfn= before it")
	}
	p.callee = nil
	count, err := p.parseCountAndTarget(value)
	if err != nil {
		return err
	}
	line, err := p.nextPosition()
	if err != nil {
		return err
	}
	pos, costs, err := p.parsePositionAndCosts(line)
	if err != nil {
		return err
	}
	if p.detail {
		p.allCalls = append(p.allCalls, Call{
			Callee: callee, File: p.fileAt, Line: pos.line, Addr: pos.addr,
			Count: count, Inclusive: costs[0],
		})
	}
	return nil
}

// parseJump reads "jump=count target" or "jcnd=followed/count target", and the
// line after it: the position of the jump, without a cost. Jumps are written
// with --collect-jumps=yes; nothing here uses them.
func (p *parser) parseJump(key string, value []byte) error {
	if key == "jcnd" {
		followed, rest, ok := bytes.Cut(value, []byte("/"))
		if !ok {
			return errors.New("want followed/executed")
		}
		if _, err := parseDecimal(followed); err != nil {
			return err
		}
		value = rest
	}
	if _, err := p.parseCountAndTarget(value); err != nil {
		return err
	}
	line, err := p.nextPosition()
	if err != nil {
		return err
	}
	_, rest, err := parsePosition(line, p.cols, p.last)
	if err == nil && len(rest) > 0 {
		err = errors.New("a jump has no cost")
	}
	if err != nil {
		return fmt.Errorf("position line %s: %w", quote(line), err)
	}
	return nil
}

// parseCountAndTarget returns the count of a call or jump, and checks its
// target.
func (p *parser) parseCountAndTarget(value []byte) (int64, error) {
	number, target, ok := bytes.Cut(value, []byte(" "))
	if !ok {
		return 0, errors.New("no target position")
	}
	count, err := parseDecimal(number)
	if err != nil {
		return 0, err
	}
	_, rest, err := parsePosition(target, p.cols, p.last)
	if err != nil {
		return 0, fmt.Errorf("target: %w", err)
	}
	if len(rest) > 0 {
		return 0, fmt.Errorf("unexpected %s after the target", quote(rest))
	}
	return count, nil
}

func (p *parser) nextPosition() ([]byte, error) {
	line, ok, err := p.next()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("truncated: the file ends before its position line")
	}
	return line, nil
}
