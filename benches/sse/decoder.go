// Package sse decodes event streams (text/event-stream) as the HTML standard
// says in "Server-sent events", section "Interpreting an event stream":
// https://html.spec.whatwg.org/multipage/server-sent-events.html
package sse

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
)

// MaxEvent is the longest line and the longest data of one event, in bytes. The
// standard has no limit; a peer that never ends its line must not fill memory.
const MaxEvent = 16 << 20

// ErrTooLong is in the error of a line or an event longer than MaxEvent.
var ErrTooLong = fmt.Errorf("longer than %d bytes", MaxEvent)

// Event is one event of a stream.
type Event struct {
	Type string // "message" where the stream names none
	Data string // the data lines, joined by LF
	ID   string // the last event id: it stays until a later event sets another
}

// Decoder reads events one by one, each as soon as its blank line has arrived.
// It is not safe for concurrent use.
type Decoder struct {
	lines    lineReader
	data     []byte // every data line so far, each with an LF behind it
	kind     string
	nextID   string // takes effect with the next blank line
	id       string
	retry    time.Duration
	hasRetry bool
	err      error
}

// NewDecoder reads from r, from the beginning of a stream.
func NewDecoder(r io.Reader) *Decoder {
	return &Decoder{lines: lineReader{source: r}}
}

// Next returns the next event, or io.EOF at the end of the stream. What stands
// behind the last blank line is no event and is dropped. An error is final.
func (d *Decoder) Next() (Event, error) {
	for d.err == nil {
		line, err := d.lines.next()
		if err != nil {
			d.err = err
			break
		}
		if len(line) > 0 {
			d.err = d.field(line)
			continue
		}
		if event, ok := d.dispatch(); ok {
			return event, nil
		}
	}
	// By ==: an error that merely wraps io.EOF tells of a broken connection.
	if d.err == io.EOF {
		return Event{}, io.EOF
	}
	return Event{}, fmt.Errorf("event stream: %w", d.err)
}

// LastEventID returns the id to send as Last-Event-ID after a loss of the
// connection. It can be newer than the last event's: a block without data is no
// event, yet sets the id.
func (d *Decoder) LastEventID() string { return d.id }

// Retry returns the reconnection time that the stream asked for, if it did.
func (d *Decoder) Retry() (wait time.Duration, ok bool) { return d.retry, d.hasRetry }

// Decode returns all events of a stream that ends.
func Decode(r io.Reader) ([]Event, error) {
	d := NewDecoder(r)
	var events []Event
	for {
		event, err := d.Next()
		if err == io.EOF {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, event)
	}
}

// dispatch ends a block; one without a data line is no event.
func (d *Decoder) dispatch() (Event, bool) {
	d.id = d.nextID
	kind := d.kind
	d.kind = ""
	if len(d.data) == 0 {
		return Event{}, false
	}
	if kind == "" {
		kind = "message"
	}
	event := Event{Type: kind, Data: decodeUTF8(d.data[:len(d.data)-1]), ID: d.id}
	d.data = d.data[:0]
	return event, true
}

// field takes in a line that is not blank. Comments are fields without a name.
func (d *Decoder) field(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if len(d.data)+len(value) > MaxEvent {
			return fmt.Errorf("data: %w", ErrTooLong)
		}
		d.data = append(append(d.data, value...), '\n')
	case "event":
		d.kind = decodeUTF8(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			d.nextID = decodeUTF8(value)
		}
	case "retry":
		d.setRetry(value)
	}
	return nil
}

// setRetry takes a number of milliseconds, if value has digits and nothing else.
// One too large for a Duration becomes the longest.
func (d *Decoder) setRetry(value []byte) {
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
	}
	if len(value) == 0 {
		return
	}
	// Only the range can be wrong, and ParseInt then returns the largest number.
	ms, _ := strconv.ParseInt(string(value), 10, 64)
	d.retry = time.Duration(min(ms, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
	d.hasRetry = true
}
