package agent_test

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/perfpin/perfpin/benches/agent"
	"github.com/perfpin/perfpin/benches/session"
)

const secret = "tok-4f81c2d97ab35e60"

// zeros is a source of bytes that costs the same for every read. Ids still differ
// by their timestamps.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// newMinter mints the same ids in every run: its clock ticks once a call.
func newMinter() *session.Minter {
	now := time.UnixMilli(1_750_000_000_000)
	tick := func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
	return session.NewMinter(tick, zeros{})
}

func newAgent(tb testing.TB, journal io.Writer, history []session.Frame, secrets ...string) *agent.Agent {
	tb.Helper()
	mint := newMinter()
	for range history { // the ids of the history come from an equal minter
		if _, err := mint.Mint(); err != nil {
			tb.Fatal(err)
		}
	}
	a, err := agent.New(agent.Config{
		Model: "example-large-1", MaxTokens: 4096, System: "Be brief.",
		History: history, Mask: newMask(tb, secrets...), Journal: journal, Mint: mint,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func deltas(texts ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, text := range texts {
			if !yield(text, nil) {
				return
			}
		}
	}
}

// conversation has every kind of frame, each with the secret in it.
func conversation(t *testing.T) []session.Frame {
	frames := history(t, 6)
	frames[0].Text = "Fetch it with " + secret + " please"
	frames[1].Text = ""
	frames[2] = session.Frame{ID: frames[2].ID, Parent: frames[2].Parent, Kind: session.CallTool, Call: &session.Call{
		ID: "c1", Name: "fetch", Arguments: []byte(`{"auth":"Bearer \u0074ok-4f81c2d97ab35e60","tries":3}`)}}
	frames[3] = session.Frame{ID: frames[3].ID, Parent: frames[3].Parent, Kind: session.ToolResult,
		Result: &session.Result{CallID: "c1", Text: "401: " + secret + secret + " <denied>", Failed: true}}
	frames[4].Text = "And now?"
	frames[5].Text = "It is denied."
	return frames
}

func TestBuildRequest(t *testing.T) {
	var journal bytes.Buffer
	frames := conversation(t)
	a := newAgent(t, &journal, frames, secret)
	body, err := a.BuildRequest("Then use " + secret)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"example-large-1","max_tokens":4096,"stream":true,"system":"Be brief.","messages":[` +
		`{"role":"user","content":[{"type":"text","text":"Fetch it with [masked] please"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"fetch","input":{"auth":"Bearer [masked]","tries":3}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"401: [masked][masked] <denied>","is_error":true},` +
		`{"type":"text","text":"And now?"}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"It is denied."}]},` +
		`{"role":"user","content":[{"type":"text","text":"Then use [masked]"}]}]}`
	if string(body) != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
	if reply, err := a.RecordReply(deltas("Del", "", "ta.")); reply != "Delta." || err != nil {
		t.Errorf("RecordReply: got %q, %v, want Delta.", reply, err)
	}

	recorded, err := session.Decode("journal", &journal)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Frames(); !reflect.DeepEqual(got[:6], frames) || !reflect.DeepEqual(got[6:], recorded) {
		t.Errorf("frames: got %+v, want the history and then %+v", got, recorded)
	}
	if len(recorded) != 2 || recorded[0].Text != "Then use "+secret || recorded[0].Kind != session.User ||
		recorded[1].Text != "Delta." || recorded[1].Kind != session.Assistant {
		t.Errorf("journal: got %+v, want what the user and the assistant said", recorded)
	}
	if _, err := session.FromFrames(a.Frames()); err != nil {
		t.Errorf("frames are no tree: %v", err)
	}
}

func TestNewConversation(t *testing.T) {
	a, err := agent.New(agent.Config{
		Model: "m", MaxTokens: 1, System: "Log in as " + secret, Mask: newMask(t, secret), Journal: io.Discard, Mint: newMinter(),
	})
	if err != nil {
		t.Fatal(err)
	}
	body, err := a.BuildRequest("hi")
	want := `{"model":"m","max_tokens":1,"stream":true,"system":"Log in as [masked]",` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`
	if string(body) != want || err != nil {
		t.Errorf("got %s, %v, want %s", body, err, want)
	}
	if got := a.Frames(); len(got) != 1 || got[0].Parent != uuid.Nil {
		t.Errorf("got %+v, want one root", got)
	}
}

func TestRewindBranches(t *testing.T) {
	frames := history(t, 4)
	a := newAgent(t, io.Discard, frames)
	if err := a.Rewind(2); err != nil {
		t.Fatal(err)
	}
	if _, err := a.BuildRequest("other"); err != nil {
		t.Fatal(err)
	}
	if got := a.Frames(); len(got) != 3 || got[2].Parent != frames[1].ID {
		t.Errorf("got %+v, want a child of frame 1", got)
	}
	if frames[2].Text == "other" {
		t.Error("the caller's history was overwritten")
	}
	for _, n := range []int{-1, 4} {
		if err := a.Rewind(n); err == nil {
			t.Errorf("Rewind(%d) of 3 frames: got no error", n)
		}
	}
}

func TestNewRefusesABrokenChain(t *testing.T) {
	frames := history(t, 4)
	frames[1].Parent, frames[3].Parent = uuid.Nil, frames[0].ID
	_, err := agent.New(agent.Config{History: frames})
	for _, want := range []string{"frame 1: parent: got " + uuid.Nil.String(), "frame 3: parent: got", "2 failures"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want in it %q", err, want)
		}
	}
}

func TestNothingIsRecordedOnError(t *testing.T) {
	badArguments := conversation(t)
	badArguments[2].Call.Arguments = []byte(`{"a":`)
	broken := errors.New("reset")
	breaksOff := func(yield func(string, error) bool) { _ = yield("Del", nil) && yield("", broken) }
	for _, test := range []struct {
		name    string
		journal io.Writer
		history []session.Frame
		act     func(*agent.Agent) error
		want    string
	}{
		{"journal", failing{}, history(t, 2), build, "agent: journal: encode session: file already closed"},
		{"journal of a reply", failing{}, history(t, 2), func(a *agent.Agent) error {
			_, err := a.RecordReply(deltas("x"))
			return err
		}, "agent: journal: encode session: file already closed"},
		{"arguments", io.Discard, badArguments, build, "agent: build request: frame 2: call c1: arguments: unexpected EOF"},
		{"reply", io.Discard, history(t, 2), func(a *agent.Agent) error {
			_, err := a.RecordReply(breaksOff)
			return err
		}, "agent: reply broke off after 3 bytes: reset"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAgent(t, test.journal, test.history, secret)
			if err := test.act(a); err == nil || err.Error() != test.want {
				t.Errorf("got error %v, want %s", err, test.want)
			}
			if got := len(a.Frames()); got != len(test.history) {
				t.Errorf("got %d frames, want %d", got, len(test.history))
			}
		})
	}
}

func build(a *agent.Agent) error {
	_, err := a.BuildRequest("x")
	return err
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }
