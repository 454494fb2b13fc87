package session

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// ErrNoFrame is in the error of a look-up that names an id the tree has not.
var ErrNoFrame = errors.New("no such frame")

// none marks the end of a list of frame numbers.
const none = -1

// Tree finds frames by their id and their family. It shares the frames it was
// built from and must not outlive a change to them.
type Tree struct {
	frames      []Frame
	number      map[uuid.UUID]int
	parent      []int // frame number or none
	firstChild  []int // frame number or none
	nextSibling []int // frame number or none
}

// FromFrames indexes frames in the order in which they were recorded: parents
// stand before their children, so a tree has no cycles. The error holds one line
// for each id that stands twice and each parent that does not stand before its
// child, and then their number.
func FromFrames(frames []Frame) (*Tree, error) {
	t := &Tree{
		frames:      frames,
		number:      make(map[uuid.UUID]int, len(frames)),
		parent:      make([]int, len(frames)),
		firstChild:  make([]int, len(frames)),
		nextSibling: make([]int, len(frames)),
	}
	lastChild := make([]int, len(frames))
	var errs []error
	for i := range frames {
		frame := &frames[i]
		t.parent[i], t.firstChild[i], t.nextSibling[i] = none, none, none
		parent, err := t.admit(i)
		if err != nil {
			errs = append(errs, fmt.Errorf("session tree: frame %d: %w", i, err))
			continue
		}
		t.number[frame.ID] = i
		if parent == none {
			continue
		}
		t.parent[i] = parent
		if t.firstChild[parent] == none {
			t.firstChild[parent] = i
		} else {
			t.nextSibling[lastChild[parent]] = i
		}
		lastChild[parent] = i
	}
	if len(errs) > 0 {
		return nil, counted(errs)
	}
	return t, nil
}

// admit returns the number of frame i's parent, or none for a root.
func (t *Tree) admit(i int) (int, error) {
	frame := &t.frames[i]
	if first, ok := t.number[frame.ID]; ok {
		return none, fmt.Errorf("id %s: already the id of frame %d", frame.ID, first)
	}
	if frame.Parent == uuid.Nil {
		return none, nil
	}
	parent, ok := t.number[frame.Parent]
	if !ok {
		return none, fmt.Errorf("parent %s: %w before it", frame.Parent, ErrNoFrame)
	}
	return parent, nil
}

// Len returns the number of frames.
func (t *Tree) Len() int { return len(t.frames) }

// Frame returns the frame of that id.
func (t *Tree) Frame(id uuid.UUID) (Frame, error) {
	i, err := t.find(id)
	if err != nil {
		return Frame{}, err
	}
	return t.frames[i], nil
}

// Children returns the frames that follow id, in the order of recording.
func (t *Tree) Children(id uuid.UUID) ([]Frame, error) {
	i, err := t.find(id)
	if err != nil {
		return nil, err
	}
	var children []Frame
	for child := t.firstChild[i]; child != none; child = t.nextSibling[child] {
		children = append(children, t.frames[child])
	}
	return children, nil
}

// Path returns the frames from the root to id, both included.
func (t *Tree) Path(id uuid.UUID) ([]Frame, error) {
	i, err := t.find(id)
	if err != nil {
		return nil, err
	}
	depth := 0
	for up := i; up != none; up = t.parent[up] {
		depth++
	}
	path := make([]Frame, depth)
	for ; i != none; i = t.parent[i] {
		depth--
		path[depth] = t.frames[i]
	}
	return path, nil
}

// ForkAt returns the path to id as a session of its own: every frame gets a
// fresh id from mint and remembers the one it was copied from as its Origin.
// Times, texts and payloads stay; payloads are shared with the tree.
func (t *Tree) ForkAt(id uuid.UUID, mint *Minter) ([]Frame, error) {
	fork, err := t.Path(id)
	if err != nil {
		return nil, fmt.Errorf("fork: %w", err)
	}
	parent := uuid.Nil
	for i := range fork {
		fresh, err := mint.Mint()
		if err != nil {
			return nil, fmt.Errorf("fork at %s: frame %d: %w", id, i, err)
		}
		fork[i].Origin, fork[i].ID, fork[i].Parent = fork[i].ID, fresh, parent
		parent = fresh
	}
	return fork, nil
}

func (t *Tree) find(id uuid.UUID) (int, error) {
	i, ok := t.number[id]
	if !ok {
		return none, fmt.Errorf("session tree: %s: %w", id, ErrNoFrame)
	}
	return i, nil
}
