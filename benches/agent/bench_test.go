package agent_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/perfpin/perfpin/benches/agent"
	"github.com/perfpin/perfpin/benches/session"
)

// BenchmarkBuildRequest is one turn: the user's message is recorded, the request
// built, and a reply of one delta recorded. No message contains the secret, so
// masking looks at all of them and replaces nothing.
func BenchmarkBuildRequest(b *testing.B) {
	b.Run("history_1000_masked", func(b *testing.B) {
		var journal bytes.Buffer
		a := newAgent(b, &journal, history(b, 1000), secret)
		var body []byte
		turn := func() {
			journal.Reset()
			if err := a.Rewind(1000); err != nil {
				b.Fatal(err)
			}
			var err error
			if body, err = a.BuildRequest("Which of the two is faster?"); err != nil {
				b.Fatal(err)
			}
			if _, err := a.RecordReply(deltas("The second: it reads each byte once.")); err != nil {
				b.Fatal(err)
			}
		}
		turn() // makes room for the two frames that each turn adds
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			turn()
		}
		if lines := strings.Count(journal.String(), "\n"); lines != 2 {
			b.Fatalf("journal: got %d lines, want 2", lines)
		}
		if bytes.Contains(body, []byte(agent.Masked)) {
			b.Fatal("body: something was masked")
		}
	})
}

// history returns a chat of n recorded messages.
func history(tb testing.TB, n int) []session.Frame {
	tb.Helper()
	mint := newMinter()
	frames := make([]session.Frame, n)
	parent := uuid.Nil
	for i := range frames {
		id, err := mint.Mint()
		if err != nil {
			tb.Fatal(err)
		}
		frames[i] = session.Frame{ID: id, Parent: parent, Time: session.Millis(id)}
		if i%2 == 0 {
			frames[i].Kind = session.User
			frames[i].Text = fmt.Sprintf("Why does step %d read the buffer twice? See pkg/stage_%02d.go.", i/2, i%37)
		} else {
			frames[i].Kind = session.Assistant
			frames[i].Text = fmt.Sprintf("Step %d reads it once to find the line's end & once to copy it:\n\n", i/2) +
				strings.Repeat("\tif n := bytes.IndexByte(buf[i:], '\\n'); n < 0 { return buf[i:i+n] }\n", 1+i%5)
		}
		parent = id
	}
	return frames
}
