package session_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/perfpin/perfpin/benches/session"
)

func tree(t *testing.T, frames []session.Frame) *session.Tree {
	t.Helper()
	tree, err := session.FromFrames(frames)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func ids(frames []session.Frame) []uuid.UUID {
	var ids []uuid.UUID
	for _, f := range frames {
		ids = append(ids, f.ID)
	}
	return ids
}

// branched is a chat 0-1-2-3 with 4 and 5 as further children of 1, and 6 after 5.
func branched(t *testing.T) []session.Frame {
	frames := linear(t, 7)
	frames[4].Parent, frames[5].Parent = frames[1].ID, frames[1].ID
	return frames
}

func TestTree(t *testing.T) {
	frames := branched(t)
	tree := tree(t, frames)
	if tree.Len() != 7 {
		t.Errorf("Len: got %d, want 7", tree.Len())
	}
	pick := func(numbers ...int) (picked []session.Frame) {
		for _, n := range numbers {
			picked = append(picked, frames[n])
		}
		return picked
	}
	for _, test := range []struct {
		name string
		look func(uuid.UUID) ([]session.Frame, error)
		of   int
		want []session.Frame
	}{
		{"children of a fork", tree.Children, 1, pick(2, 4, 5)},
		{"children of a leaf", tree.Children, 6, nil},
		{"path to the root", tree.Path, 0, pick(0)},
		{"path on the trunk", tree.Path, 3, pick(0, 1, 2, 3)},
		{"path on a branch", tree.Path, 6, pick(0, 1, 5, 6)},
	} {
		got, err := test.look(frames[test.of].ID)
		if err != nil || !equal(ids(got), ids(test.want)) {
			t.Errorf("%s: got %v, %v, want %v", test.name, ids(got), err, ids(test.want))
		}
	}
}

func equal(a, b []uuid.UUID) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestTreeErrors(t *testing.T) {
	frames := linear(t, 5)
	frames[1].Parent = frames[1].ID // its own parent
	frames[2].Parent = frames[4].ID // recorded later
	frames[3] = frames[0]
	frames[4].Parent = uuid.Nil
	_, err := session.FromFrames(frames)
	if err == nil {
		t.Fatal("got no error")
	}
	for _, want := range []string{
		"session tree: frame 1: parent " + frames[1].ID.String() + ": no such frame before it",
		"session tree: frame 2: parent " + frames[4].ID.String(),
		"session tree: frame 3: id " + frames[0].ID.String() + ": already the id of frame 0",
		"session: 3 failures",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got error:\n%v\nwant in it: %s", err, want)
		}
	}
}

func TestUnknownFrame(t *testing.T) {
	tree := tree(t, linear(t, 2))
	_, frame := tree.Frame(uuid.Max)
	_, children := tree.Children(uuid.Max)
	_, path := tree.Path(uuid.Max)
	_, fork := tree.ForkAt(uuid.Max, newMinter())
	for name, err := range map[string]error{"Frame": frame, "Children": children, "Path": path, "ForkAt": fork} {
		if !errors.Is(err, session.ErrNoFrame) || !strings.Contains(err.Error(), uuid.Max.String()) {
			t.Errorf("%s: got %v, want %v and the id", name, err, session.ErrNoFrame)
		}
	}
}

func TestForkAt(t *testing.T) {
	frames := branched(t)
	before := encode(t, frames)
	original := tree(t, frames)
	path, err := original.Path(frames[6].ID)
	if err != nil {
		t.Fatal(err)
	}
	fork, err := original.ForkAt(frames[6].ID, session.NewMinter(
		func() time.Time { return time.UnixMilli(1_800_000_000_000) }, &odometer{}))
	if err != nil {
		t.Fatal(err)
	}
	copied := tree(t, fork)
	for i, f := range fork {
		if f.Origin != path[i].ID || f.ID == path[i].ID || f.Text != path[i].Text || f.Time != path[i].Time {
			t.Errorf("frame %d: got %+v, want a copy of %+v", i, f, path[i])
		}
		if got, err := copied.Path(f.ID); err != nil || len(got) != i+1 {
			t.Errorf("frame %d: path of %d frames, %v, want %d", i, len(got), err, i+1)
		}
	}
	if !bytes.Equal(encode(t, frames), before) {
		t.Error("the fork changed the frames that it was made from")
	}
}

func TestForkAtWithoutEntropy(t *testing.T) {
	frames := linear(t, 3)
	mint := session.NewMinter(func() time.Time { return time.UnixMilli(1) }, strings.NewReader("only ten.."))
	if _, err := tree(t, frames).ForkAt(frames[2].ID, mint); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want %v", err, io.EOF)
	}
}

// TestMintLayout compares with the example of RFC 9562 appendix A.6, whose
// rand_a of CC3 has the counter's topmost bit set: it is cleared here, to 4C3.
func TestMintLayout(t *testing.T) {
	entropy := bytes.NewReader([]byte{0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f})
	mint := session.NewMinter(func() time.Time { return time.UnixMilli(0x017f22e279b0) }, entropy)
	id, err := mint.Mint()
	if err != nil {
		t.Fatal(err)
	}
	if want := "017f22e2-79b0-74c3-98c4-dc0c0c07398f"; id.String() != want {
		t.Errorf("got %s, want %s", id, want)
	}
	if id.Version() != 7 || id.Variant() != uuid.RFC4122 {
		t.Errorf("got version %d, variant %s, want 7 and %s", id.Version(), id.Variant(), uuid.RFC4122)
	}
	if got := session.Millis(id); got != 0x017f22e279b0 {
		t.Errorf("Millis: got %#x, want 0x17f22e279b0", got)
	}
}

func TestMintOrder(t *testing.T) {
	const start = 1_750_000_000_000
	for _, test := range []struct {
		name  string
		clock func(call int) int64
	}{
		{"clock stands still past the counter's end", func(int) int64 { return start }},
		{"clock steps back", func(call int) int64 { return start - int64(call) }},
		{"clock runs", func(call int) int64 { return start + int64(call) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls := 0
			mint := session.NewMinter(func() time.Time {
				calls++
				return time.UnixMilli(test.clock(calls))
			}, &odometer{})
			var last uuid.UUID
			for i := range 10_000 {
				id, err := mint.Mint()
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Compare(id[:], last[:]) <= 0 {
					t.Fatalf("id %d: got %s, want more than %s", i, id, last)
				}
				if id.Version() != 7 || id.Variant() != uuid.RFC4122 {
					t.Fatalf("id %d: got %s, want version 7", i, id)
				}
				last = id
			}
		})
	}
}
