package session_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/perfpin/perfpin/benches/session"
)

// odometer is a source of bytes that never repeats within a test and costs the
// same for every read of the same length, as no random generator that works in
// blocks does.
type odometer struct{ turns uint64 }

func (o *odometer) Read(p []byte) (int, error) {
	for n := 0; n < len(p); n += 8 {
		o.turns++
		var block [8]byte
		binary.LittleEndian.PutUint64(block[:], o.turns*0x9e3779b97f4a7c15)
		copy(p[n:], block[:])
	}
	return len(p), nil
}

// newMinter mints the same ids in every run: its clock ticks once a call.
func newMinter() *session.Minter {
	now := time.UnixMilli(1_750_000_000_000)
	tick := func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
	return session.NewMinter(tick, &odometer{})
}

// prose returns a text of n sentences that differs with the seed.
func prose(seed, n int) string {
	words := strings.Fields(`the parser reads "one line" and keeps its offset; a path like
		C:\tmp or <b>bold</b> passes, so do naïve, Größe, 東京 and 👍 — every branch has a test`)
	var b strings.Builder
	for i := range n {
		for j := range 9 {
			b.WriteString(words[(seed*7+i*5+j*3)%len(words)])
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "(%d).\n", seed+i)
	}
	return b.String()
}

// linear returns a chat of n frames without a branch.
func linear(tb testing.TB, n int) []session.Frame {
	return chain(tb, n, func(i int, f *session.Frame) {
		f.Kind, f.Text = session.User, prose(i, 1)
		if i%2 == 1 {
			f.Kind, f.Text = session.Assistant, prose(i, 4)
		}
	})
}

// toolCalls returns n frames in which every answer takes a tool call first.
func toolCalls(tb testing.TB, n int) []session.Frame {
	return chain(tb, n, func(i int, f *session.Frame) {
		call := fmt.Sprintf("call_%06d", i/4)
		switch i % 4 {
		case 0:
			f.Kind, f.Text = session.User, prose(i, 1)
		case 1:
			arguments, err := json.Marshal(map[string]any{
				"path":  fmt.Sprintf("pkg/file_%03d.go", i),
				"range": []int{i, i + 40},
				"match": prose(i, 1),
			})
			if err != nil {
				tb.Fatal(err)
			}
			f.Kind, f.Call = session.CallTool, &session.Call{ID: call, Name: "read_file", Arguments: arguments}
		case 2:
			f.Kind = session.ToolResult
			f.Result = &session.Result{CallID: call, Text: prose(i, 6), Failed: i%20 == 2}
		case 3:
			f.Kind, f.Text = session.Assistant, prose(i, 2)
		}
	})
}

func chain(tb testing.TB, n int, fill func(i int, f *session.Frame)) []session.Frame {
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
		fill(i, &frames[i])
		parent = id
	}
	return frames
}
