package session_test

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/perfpin/perfpin/benches/session"
)

func encode(tb testing.TB, frames []session.Frame) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := session.Encode(&b, frames); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func decode(tb testing.TB, lines []byte) []session.Frame {
	tb.Helper()
	frames, err := session.Decode("test.jsonl", bytes.NewReader(lines))
	if err != nil {
		tb.Fatal(err)
	}
	return frames
}

func TestFramesRoundTrip(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			frames := shape.build(t, 1000)
			lines := encode(t, frames)
			if got := bytes.Count(lines, []byte("\n")); got != 1000 {
				t.Errorf("lines: got %d, want 1000", got)
			}
			if got := decode(t, lines); !reflect.DeepEqual(got, frames) {
				t.Error("decoded frames differ from the encoded ones")
			}
		})
	}
}

// TestEncodedLine holds the format still: a session on disk outlives the program.
func TestEncodedLine(t *testing.T) {
	got := encode(t, []session.Frame{{
		ID:     uuid.MustParse("01976e28-8c00-7001-8000-000000000002"),
		Parent: uuid.MustParse("01976e28-8c00-7001-8000-000000000001"),
		Time:   1_750_000_000_000,
		Kind:   session.CallTool,
		Call:   &session.Call{ID: "c1", Name: "grep", Arguments: []byte("{ \"for\": \"<a>\" }")},
	}})
	want := `{"id":"01976e28-8c00-7001-8000-000000000002","parent":"01976e28-8c00-7001-8000-000000000001",` +
		`"time":1750000000000,"kind":"tool_call","call":{"id":"c1","name":"grep","arguments":{"for":"<a>"}}}` + "\n"
	if string(got) != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

func TestDecodeAccepts(t *testing.T) {
	frame := `{"id":"01976e28-8c00-7001-8000-000000000002","time":1,"kind":"user","text":"hi"}`
	for name, input := range map[string]string{
		"no last line end": frame,
		"crlf":             frame + "\r\n",
		"blank lines":      "\n\n" + frame + "\n  \n",
		"unknown member":   strings.Replace(frame, "{", `{"mood":"calm",`, 1),
		"null call":        strings.Replace(frame, "{", `{"call":null,`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			frames := decode(t, []byte(input))
			if len(frames) != 1 || frames[0].Text != "hi" {
				t.Errorf("got %+v, want one frame that says hi", frames)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	const id = `"id":"01976e28-8c00-7001-8000-000000000002"`
	for _, test := range []struct {
		name, input string
		want        []string
	}{
		{"cut short", `{` + id + `,"kind":"us`, []string{"s.jsonl:1: frame: unexpected end of JSON input", "session: 1 failures"}},
		{"two values", `{} {}`, []string{"s.jsonl:1: frame: invalid character '{' after top-level value"}},
		{"no id", `{"kind":"user"}`, []string{"s.jsonl:1: frame: no id"}},
		{"bad id", `{"id":"x"}`, []string{"s.jsonl:1: frame: invalid UUID length: 1"}},
		{"unknown kind", `{` + id + `,"kind":"bot"}`, []string{`kind "bot": want "user", "assistant", "tool_call" or "tool_result"`}},
		{"call without payload", `{` + id + `,"kind":"tool_call"}`, []string{`kind "tool_call": call: got false, want true`}},
		{"call without arguments", `{` + id + `,"kind":"tool_call","call":{"id":"c"}}`, []string{`call "c": no arguments`}},
		{"text in a result", `{` + id + `,"kind":"tool_result","text":"x","result":{}}`, []string{"unexpected text"}},
		{"result in speech", `{` + id + `,"kind":"user","result":{}}`, []string{`result: got true, want false`}},
		{"every line is told", "\n[]\n{}\n", []string{
			"s.jsonl:2: frame: json: cannot unmarshal array", "s.jsonl:3: frame: no id", `s.jsonl:3: frame: kind ""`, "session: 3 failures"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			frames, err := session.Decode("s.jsonl", strings.NewReader(test.input))
			if err == nil || frames != nil {
				t.Fatalf("got %d frames and error %v, want an error alone", len(frames), err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got error:\n%v\nwant in it: %s", err, want)
				}
			}
		})
	}
}

func TestDecodeRefusesAnEndlessLine(t *testing.T) {
	input := "\n" + strings.Repeat("x", session.MaxLine+1)
	_, err := session.Decode("s.jsonl", strings.NewReader(input))
	if !errors.Is(err, bufio.ErrTooLong) || !strings.Contains(err.Error(), "s.jsonl:2: ") {
		t.Errorf("got error %v, want %v at s.jsonl:2", err, bufio.ErrTooLong)
	}
}

func TestEncodeErrors(t *testing.T) {
	var b bytes.Buffer
	if err := session.Encode(&b, []session.Frame{{Kind: session.User}}); err == nil || b.Len() > 0 {
		t.Errorf("frame without id: got error %v and %d bytes, want an error and none", err, b.Len())
	}
	if err := session.Encode(failing{}, linear(t, 1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("failing writer: got %v, want %v", err, os.ErrClosed)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

// FuzzDecode: what Decode accepts, Encode writes; the written form is a fixed
// point, and means the same frames but for the white space in arguments.
func FuzzDecode(f *testing.F) {
	f.Add(encode(f, linear(f, 3)))
	f.Add(encode(f, toolCalls(f, 4)))
	f.Add([]byte(`{"id":"01976e28-8c00-7001-8000-000000000002","kind":"tool_call","call":{"arguments": null }}`))
	f.Fuzz(func(t *testing.T, input []byte) {
		frames, err := session.Decode("fuzz", bytes.NewReader(input))
		if err != nil {
			return
		}
		first := encode(t, frames)
		again := decode(t, first)
		if second := encode(t, again); !bytes.Equal(first, second) {
			t.Fatalf("not a fixed point:\n%s%s", first, second)
		}
		for i := range frames {
			if frames[i].Call != nil {
				frames[i].Call.Arguments = again[i].Call.Arguments
			}
		}
		if !reflect.DeepEqual(frames, again) {
			t.Fatalf("frames changed:\n%+v\n%+v", frames, again)
		}
	})
}
