package tool

import (
	"bytes"
	"fmt"
	"sync"
)

// What a reader of a CI page sees at once: of the end enough lines for a compiler's
// message with its context, and of the beginning the cause that a crashing Go program
// gives before its stacks and registers.
const (
	headBytes, headLines = 2 << 10, 10
	tailBytes, tailLines = 4 << 10, 20
)

// excerpt is a writer that keeps the beginning and the end of what is written to it.
type excerpt struct {
	// endOnly leaves the beginning out.
	endOnly bool

	mu         sync.Mutex
	head, tail []byte
	whole      bool // the head has all its lines
	cut        bool // the tail's first line has lost its beginning, or all of it
	lost       int  // line feeds between head and tail
}

func (e *excerpt) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	written := len(p)
	if !e.endOnly && !e.whole {
		p = p[e.begin(p):]
	}
	e.tail = append(e.tail, p...)
	if over := len(e.tail) - tailBytes; over > 0 {
		e.lost += bytes.Count(e.tail[:over], []byte("\n"))
		e.tail = append(e.tail[:0], e.tail[over:]...)
		e.cut = true
	}
	return written, nil
}

// begin takes what belongs to the head from the beginning of p and returns its length.
func (e *excerpt) begin(p []byte) int {
	lines := bytes.Count(e.head, []byte("\n"))
	for i, c := range p {
		if len(e.head) == headBytes || lines == headLines {
			e.whole = true
			return i
		}
		e.head = append(e.head, c)
		if c == '\n' {
			lines++
		}
	}
	return len(p)
}

// String returns the first and the last whole lines, without the final line feed;
// between them a line says how many are left out.
func (e *excerpt) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	tail, lost := bytes.TrimRight(e.tail, "\n"), e.lost
	if first := bytes.IndexByte(tail, '\n'); e.cut && first >= 0 {
		tail, lost = tail[first+1:], lost+1
	}
	for over := bytes.Count(tail, []byte("\n")) + 1 - tailLines; over > 0; over-- {
		tail, lost = tail[bytes.IndexByte(tail, '\n')+1:], lost+1
	}
	switch {
	case e.endOnly:
		return string(tail)
	case lost == 0 && !e.cut:
		return string(bytes.TrimRight(append(bytes.Clone(e.head), tail...), "\n"))
	}
	head := bytes.TrimRight(e.head, "\n")
	return fmt.Sprintf("%s\n… lines left out: %d …\n%s", head, lost, tail)
}
