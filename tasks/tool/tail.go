package tool

import (
	"bytes"
	"sync"
)

// The tail is what a reader of a CI page sees at once: enough lines for a
// compiler's message with its context.
const (
	tailBytes = 4 << 10
	tailLines = 20
)

// tail is a writer that keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool // whether something stood before buf
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - tailBytes; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
		t.cut = true
	}
	return len(p), nil
}

// String returns the last whole lines, without the final line feed.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimRight(t.buf, "\n"), []byte("\n"))
	if t.cut && len(lines) > 1 {
		lines = lines[1:] // its beginning is lost
	}
	lines = lines[max(0, len(lines)-tailLines):]
	return string(bytes.Join(lines, []byte("\n")))
}

// lines is a writer that calls each with every whole line written to it.
type lines struct {
	each func(string)
	rest []byte // the line begun
}

func (l *lines) Write(p []byte) (int, error) {
	written := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.rest = append(l.rest, p...)
			return written, nil
		}
		l.each(string(append(l.rest, p[:end]...)))
		l.rest, p = l.rest[:0], p[end+1:]
	}
}
