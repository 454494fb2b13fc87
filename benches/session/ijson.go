package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// object is a JSON object, its members in canonical order.
type object []member

type member struct {
	name  string
	value any
}

// parser reads text that encoding/json has found well formed. Its values are
// nil, bool, float64, string, []any and object.
type parser struct {
	text []byte
	at   int
}

func (p *parser) value() (any, error) {
	switch c := p.peek(); c {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return p.string()
	case 't':
		p.at += len("true")
		return true, nil
	case 'f':
		p.at += len("false")
		return false, nil
	case 'n':
		p.at += len("null")
		return nil, nil
	default:
		return p.number()
	}
}

func (p *parser) object() (any, error) {
	start := p.at
	members := object{}
	p.at++
	for p.peek() != '}' {
		name, err := p.string()
		if err != nil {
			return nil, err
		}
		p.peek()
		p.at++ // the colon
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		members = append(members, member{name, value})
		if p.peek() == ',' {
			p.at++
		}
	}
	p.at++
	if name, found := sortMembers(members); found {
		return nil, fmt.Errorf("offset %d: object: name %q stands twice", start, name)
	}
	return members, nil
}

func (p *parser) array() (any, error) {
	elements := []any{}
	p.at++
	for p.peek() != ']' {
		element, err := p.value()
		if err != nil {
			return nil, err
		}
		elements = append(elements, element)
		if p.peek() == ',' {
			p.at++
		}
	}
	p.at++
	return elements, nil
}

func (p *parser) number() (any, error) {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte("+-.0123456789Ee", p.text[p.at]) >= 0 {
		p.at++
	}
	literal := string(p.text[start:p.at])
	number, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return nil, fmt.Errorf("offset %d: number %s: beyond a double", start, literal)
	}
	return number, nil
}

func (p *parser) string() (string, error) {
	p.peek()
	p.at++ // the opening quote
	start := p.at
	for p.text[p.at] != '"' && p.text[p.at] != '\\' {
		p.at++
	}
	if p.text[p.at] == '"' { // the common case, without an escape
		p.at++
		return string(p.text[start : p.at-1]), nil
	}
	unescaped := append([]byte(nil), p.text[start:p.at]...)
	for p.text[p.at] != '"' {
		if p.text[p.at] != '\\' {
			unescaped = append(unescaped, p.text[p.at])
			p.at++
			continue
		}
		r, err := p.escape()
		if err != nil {
			return "", err
		}
		unescaped = utf8.AppendRune(unescaped, r)
	}
	p.at++
	return string(unescaped), nil
}

// escape reads one escape, or the two that spell a surrogate pair.
func (p *parser) escape() (rune, error) {
	start := p.at
	c := p.text[p.at+1]
	p.at += len(`\n`)
	switch c {
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
	default:
		return rune(c), nil
	}
	unit := p.hex4()
	if !utf16.IsSurrogate(unit) {
		return unit, nil
	}
	if p.text[p.at] == '\\' && p.text[p.at+1] == 'u' {
		p.at += len(`\u`)
		if r := utf16.DecodeRune(unit, p.hex4()); r != utf8.RuneError {
			return r, nil
		}
	}
	return 0, fmt.Errorf("offset %d: string: lone surrogate %U", start, unit)
}

func (p *parser) hex4() rune {
	// Four digits always fit; that they are digits has been checked.
	unit, _ := strconv.ParseUint(string(p.text[p.at:p.at+4]), 16, 16)
	p.at += 4
	return rune(unit)
}

// peek passes over white space and returns the byte behind it, or 0 at the end.
func (p *parser) peek() byte {
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// syntaxOffset returns the offset of the byte at which encoding/json gave up: its
// own is the number of bytes read. In a text cut short that is the last byte.
func syntaxOffset(err error) int64 {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return max(0, syntax.Offset-1)
	}
	return 0
}
