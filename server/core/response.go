package core

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"github.com/perfpin/perfpin/server/field"
)

// Response is an answer. The zero value is ready for Handle.
type Response struct {
	Status int
	// Head is the status line and the fields, each ending in CRLF, without
	// Date, Connection and the blank line.
	Head []byte
	// Body is the content where it is in memory.
	Body []byte
	// Section is the content where it comes from a file: of Length 0 otherwise.
	Section Section

	// scratch holds what was made for this answer alone.
	scratch []byte
	path    []byte
	ranges  []field.Range
	accept  acceptMemo
}

// acceptMemo keeps the last Accept-Encoding that was read: a client sends the
// same one with every request of a connection, and reading it costs more than
// all the rest of a hit.
type acceptMemo struct {
	value []byte
	read  field.Accept
}

// maxMemo bounds what is kept, in bytes; browsers send about 25.
const maxMemo = 128

func (m *acceptMemo) parse(value string) field.Accept {
	if len(m.value) > 0 && string(m.value) == value {
		return m.read
	}
	read := field.ParseAcceptEncoding(value)
	if len(value) <= maxMemo {
		m.value = append(m.value[:0], value...)
		m.read = read
	}
	return read
}

// Section is a part of an open file. Offset and Length are in bytes.
type Section struct {
	file           *openFile
	Offset, Length int64
}

// ErrChanged is what Intact returns for a file that was written to.
var ErrChanged = errors.New("file changed while it was sent")

// FD is the descriptor to send from, with an explicit offset: other
// connections use it at the same time. It is open until Release.
func (s Section) FD() int { return s.file.FD() }

// ReadAt reads the file, at offsets counted from its own beginning.
func (s Section) ReadAt(p []byte, off int64) (int, error) { return s.file.ReadAt(p, off) }

// Intact returns ErrChanged if the file is no longer the version that the
// Head describes. It costs one fstat(2).
func (s Section) Intact() error {
	now, err := s.file.Stat()
	if err != nil {
		return fmt.Errorf("open file: fstat: %w", err)
	}
	if now != s.file.info {
		return ErrChanged
	}
	return nil
}

// Release gives back what the Response holds of the cache. It may be called
// more than once.
func (r *Response) Release() {
	if r.Section.file != nil {
		r.Section.file.release()
	}
	r.Section = Section{}
	r.Head, r.Body = nil, nil
}

// Fields walks the fields of Head in their order. The slices point into it.
func (r *Response) Fields() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		crlf, colon := []byte("\r\n"), []byte(": ")
		_, rest, _ := bytes.Cut(r.Head, crlf)
		for len(rest) > 0 {
			var line []byte
			line, rest, _ = bytes.Cut(rest, crlf)
			name, value, _ := bytes.Cut(line, colon)
			if !yield(name, value) {
				return
			}
		}
	}
}
