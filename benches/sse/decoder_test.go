package sse_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/perfpin/perfpin/benches/sse"
)

// message is an event of the default type without an id.
func message(data string) sse.Event { return sse.Event{Type: "message", Data: data} }

// cases are the rules of the standard's section on parsing and interpretation,
// its examples, and the format tests of web-platform-tests/eventsource.
var cases = []struct {
	name, stream string
	want         []sse.Event
}{
	{"empty stream", "", nil},
	{"LF", "data: a\n\ndata: b\n\n", []sse.Event{message("a"), message("b")}},
	{"CR", "data: a\r\rdata: b\r\r", []sse.Event{message("a"), message("b")}},
	{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []sse.Event{message("a"), message("b")}},
	{"mixed line ends", "data: a\rdata: b\r\ndata: c\n\rdata: d\n\n", []sse.Event{message("a\nb\nc"), message("d")}},
	{"LF then CR is two ends", "data: a\n\r\n", []sse.Event{message("a")}},
	{"multi-line data", "data: YHOO\ndata: +2\ndata: 10\n\n", []sse.Event{message("YHOO\n+2\n10")}},
	{"comments", ": start\ndata: a\n:\n:data: no\ndata: b\n\n: ping\n\n", []sse.Event{message("a\nb")}},
	{"one space is taken away", "data:a\n\ndata: a\n\ndata:  a\n\ndata:\ta\n\n",
		[]sse.Event{message("a"), message("a"), message(" a"), message("\ta")}},
	{"empty data", "data\n\ndata:\n\ndata\ndata\n\n", []sse.Event{message(""), message(""), message("\n")}},
	{"value with colons", "data: a: b:c\n\n", []sse.Event{message("a: b:c")}},
	{"last event without blank line", "data: a\n\ndata: b\n", []sse.Event{message("a")}},
	{"last line without end", "data: a\n\ndata: b\n\ndata: c", []sse.Event{message("a"), message("b")}},
	{"unknown fields", "Data: a\ndata : b\n data: c\nfoo\nfoo: bar\ndata: d\n\n", []sse.Event{message("d")}},
	{"NUL is data", "data: a\x00b\n\n", []sse.Event{message("a\x00b")}},
	{"event type", "event: add\ndata: 1\n\ndata: 2\n\n", []sse.Event{{Type: "add", Data: "1"}, message("2")}},
	{"event type needs data", "event: add\n\ndata: 1\n\n", []sse.Event{message("1")}},
	{"last event type counts", "event: add\nevent: drop\ndata: 1\n\n", []sse.Event{{Type: "drop", Data: "1"}}},
	{"empty event type", "event: add\nevent:\ndata: 1\n\n", []sse.Event{message("1")}},
	{"id stays", "id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n",
		[]sse.Event{{"message", "a", "1"}, {"message", "b", "1"}, {"message", "c", "2"}}},
	{"id resets", "id: 1\ndata: a\n\nid\ndata: b\n\n", []sse.Event{{"message", "a", "1"}, message("b")}},
	{"id without data is kept", "id: 7\n\ndata: a\n\n", []sse.Event{{"message", "a", "7"}}},
	{"id with NUL is ignored", "id: 1\nid: 2\x002\ndata: a\n\n", []sse.Event{{"message", "a", "1"}}},
	{"byte order mark", "\ufeffdata: a\n\n", []sse.Event{message("a")}},
	{"two byte order marks", "\ufeff\ufeffdata: a\n\ndata: b\n\n", []sse.Event{message("b")}},
	{"byte order mark later", "data: a\n\n\ufeffdata: b\n\ndata: \ufeffc\n\n", []sse.Event{message("a"), message("\ufeffc")}},
	{"byte order mark alone in its line", "\ufeff\ndata: a\n\n", []sse.Event{message("a")}},
	{"UTF-8", "data: ok\u2026 \U0001f600\n\n", []sse.Event{message("ok… 😀")}},
	{"invalid UTF-8, one mark a maximal part", "data: \xff|\xe2\x82|\xf0\x9f\x98|\xed\xa0\x80|\xc0\xaf|\xf0\x9f\n\n",
		[]sse.Event{message("\ufffd|\ufffd|\ufffd|\ufffd\ufffd\ufffd|\ufffd\ufffd|\ufffd")}},
	{"stock ticker, the standard's second example",
		": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
		[]sse.Event{{"message", "first event", "1"}, message("second event"), message(" third event")}},
}

func TestDecode(t *testing.T) {
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			got, err := sse.Decode(strings.NewReader(test.stream))
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %q, %v\nwant %q", got, err, test.want)
			}
		})
	}
}

func TestDecodeSplitAtEveryByte(t *testing.T) {
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			for cut := range len(test.stream) + 1 {
				head, tail := test.stream[:cut], test.stream[cut:]
				got, err := sse.Decode(io.MultiReader(strings.NewReader(head), strings.NewReader(tail)))
				if err != nil || !reflect.DeepEqual(got, test.want) {
					t.Errorf("cut at %d: got %q, %v, want %q", cut, got, err, test.want)
				}
			}
			for name, r := range map[string]io.Reader{
				"single bytes":      iotest.OneByteReader(strings.NewReader(test.stream)),
				"end with the data": iotest.DataErrReader(strings.NewReader(test.stream)),
			} {
				if got, err := sse.Decode(r); err != nil || !reflect.DeepEqual(got, test.want) {
					t.Errorf("%s: got %q, %v, want %q", name, got, err, test.want)
				}
			}
		})
	}
}

// TestEventIsNotHeldBack reads from a peer that sends no more until it has seen
// the event: a CR ends the line at once, whether an LF follows or not.
func TestEventIsNotHeldBack(t *testing.T) {
	for _, stream := range []string{"data: a\n\n", "data: a\r\r", "data: a\r\n\r"} {
		busy := errors.New("read again")
		d := sse.NewDecoder(io.MultiReader(strings.NewReader(stream), iotest.ErrReader(busy)))
		if got, err := d.Next(); err != nil || got != message("a") {
			t.Errorf("%q: got %q, %v, want the event", stream, got, err)
		}
		for range 2 {
			if _, err := d.Next(); !errors.Is(err, busy) {
				t.Errorf("%q: then got %v, want %v", stream, err, busy)
			}
		}
	}
}

func TestRetry(t *testing.T) {
	for _, test := range []struct {
		stream string
		want   time.Duration
		ok     bool
	}{
		{"data: x\n\n", 0, false},
		{"retry: 1500\n\n", 1500 * time.Millisecond, true},
		{"retry:0\n", 0, true},
		{"retry: 2000\nretry: 1000x\n", 2 * time.Second, true},
		{"retry: -5\nretry: +5\nretry: 5.0\nretry:  5\nretry: ٣\nretry:\nretry\n", 0, false},
		{"retry: 1\nretry: 0003\n", 3 * time.Millisecond, true},
		{"retry: 99999999999999999999999\n", time.Duration(math.MaxInt64 / 1_000_000 * 1_000_000), true},
	} {
		d := sse.NewDecoder(strings.NewReader(test.stream))
		for err := error(nil); err == nil; {
			_, err = d.Next()
		}
		if got, ok := d.Retry(); got != test.want || ok != test.ok {
			t.Errorf("%q: got %v, %t, want %v, %t", test.stream, got, ok, test.want, test.ok)
		}
	}
}

func TestLastEventID(t *testing.T) {
	d := sse.NewDecoder(strings.NewReader("id: 1\ndata: a\n\nid: 2\n\nid: 3\n"))
	if got, err := d.Next(); err != nil || got.ID != "1" || d.LastEventID() != "1" {
		t.Errorf("got %q, %v, last id %q, want id 1", got, err, d.LastEventID())
	}
	if _, err := d.Next(); err != io.EOF {
		t.Errorf("got %v, want %v", err, io.EOF)
	}
	if got := d.LastEventID(); got != "2" {
		t.Errorf("at the end: got last id %q, want 2: the blank line behind 3 is missing", got)
	}
}

func TestTooLong(t *testing.T) {
	half := strings.Repeat("x", sse.MaxEvent/2+1)
	for name, stream := range map[string]string{
		"line":  "data: " + half + half,
		"event": "data: " + half + "\ndata: " + half + "\n\n",
	} {
		if _, err := sse.Decode(strings.NewReader("data: a\n\n" + stream)); !errors.Is(err, sse.ErrTooLong) {
			t.Errorf("%s: got %v, want %v", name, err, sse.ErrTooLong)
		}
	}
	got, err := sse.Decode(strings.NewReader("data: " + half + "\n\n"))
	if err != nil || len(got) != 1 || got[0].Data != half {
		t.Errorf("long event: got %d events, %v, want it whole", len(got), err)
	}
}

func TestBrokenReaders(t *testing.T) {
	for name, test := range map[string]struct {
		tail io.Reader
		want error
	}{
		"cut connection": {iotest.ErrReader(io.ErrUnexpectedEOF), io.ErrUnexpectedEOF},
		"never any byte": {silent{}, io.ErrNoProgress},
	} {
		events, err := sse.Decode(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), test.tail))
		if !errors.Is(err, test.want) || !reflect.DeepEqual(events, []sse.Event{message("a")}) {
			t.Errorf("%s: got %q, %v, want the first event and %v", name, events, err, test.want)
		}
	}
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

// FuzzDecode: how a stream is cut into chunks changes nothing; events printed as
// a stream decode to themselves; and the naive way, which needs the whole stream
// at once and valid UTF-8, agrees.
func FuzzDecode(f *testing.F) {
	for _, test := range cases {
		f.Add([]byte(test.stream), uint8(3))
	}
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		want, err := sse.Decode(bytes.NewReader(stream))
		if err != nil {
			t.Fatal(err)
		}
		chunked := &chunks{rest: stream, size: int(size)%16 + 1}
		if got, err := sse.Decode(chunked); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("chunks of %d: got %q, %v, want %q", chunked.size, got, err, want)
		}
		if got := naive(stream); utf8.Valid(stream) && !reflect.DeepEqual(got, want) {
			t.Errorf("naive: %q, decoder: %q", got, want)
		}
		if got, err := sse.Decode(strings.NewReader(printEvents(want))); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("printed again: got %q, %v, want %q", got, err, want)
		}
	})
}

type chunks struct {
	rest []byte
	size int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.size)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// naive follows the standard's wording on a whole stream.
func naive(stream []byte) []sse.Event {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(bytes.TrimPrefix(stream, []byte("\ufeff"))))
	lines := strings.Split(text, "\n")
	var events []sse.Event
	var data []string
	var kind, id string
	for _, line := range lines[:len(lines)-1] {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if kind == "" {
				kind = "message"
			}
			if data != nil {
				events = append(events, sse.Event{Type: kind, Data: strings.Join(data, "\n"), ID: id})
			}
			kind, data = "", nil
		case name == "data":
			data = append(data, value)
		case name == "event":
			kind = value
		case name == "id" && !strings.Contains(value, "\x00"):
			id = value
		}
	}
	return events
}

// printEvents writes events as a stream that decodes to them.
func printEvents(events []sse.Event) string {
	var b strings.Builder
	for _, event := range events {
		b.WriteString("id: " + event.ID + "\nevent: " + event.Type + "\n")
		for line := range strings.SplitSeq(event.Data, "\n") {
			b.WriteString("data: " + line + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}
