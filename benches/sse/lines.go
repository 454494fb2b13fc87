package sse

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	firstBuffer = 4 << 10 // bytes; a token of a model comes as some hundred
	emptyReads  = 100     // in a row, before a reader is taken for broken
)

// lineReader cuts a stream into lines that end in CR, LF or CRLF.
type lineReader struct {
	source  io.Reader
	buffer  []byte
	start   int  // of the line that is next
	scanned int  // no line ends in buffer[start:scanned]
	afterCR bool // an LF at start belongs to the line before
	begun   bool // the first line, and with it the byte order mark, is done
	err     error
}

// next returns a line without its end, valid until the next call. Nothing waits
// for an LF behind a CR: the sender may not write again before it is answered.
func (l *lineReader) next() ([]byte, error) {
	for {
		if line, ok := l.cut(); ok {
			return line, nil
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

func (l *lineReader) cut() ([]byte, bool) {
	if l.afterCR && l.start < len(l.buffer) {
		l.afterCR = false
		if l.buffer[l.start] == '\n' {
			l.start++
		}
	}
	l.scanned = max(l.scanned, l.start)
	length := bytes.IndexAny(l.buffer[l.scanned:], "\r\n")
	if length < 0 {
		l.scanned = len(l.buffer)
		return nil, false
	}
	end := l.scanned + length
	line := l.buffer[l.start:end]
	l.afterCR = l.buffer[end] == '\r'
	l.start, l.scanned = end+1, end+1
	if !l.begun {
		l.begun = true
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	return line, true
}

// fill reads once more. Bytes that come with an error are used before it is told.
func (l *lineReader) fill() error {
	if l.err != nil {
		return l.err
	}
	kept := copy(l.buffer, l.buffer[l.start:])
	l.scanned -= l.start
	l.start, l.buffer = 0, l.buffer[:kept]
	if kept > MaxEvent {
		l.err = ErrTooLong
		return l.err
	}
	if kept == cap(l.buffer) {
		larger := make([]byte, kept, max(firstBuffer, 2*kept))
		copy(larger, l.buffer)
		l.buffer = larger
	}
	for range emptyReads {
		n, err := l.source.Read(l.buffer[kept:cap(l.buffer)])
		l.buffer = l.buffer[:kept+n]
		l.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	l.err = io.ErrNoProgress
	return l.err
}

// decodeUTF8 puts one U+FFFD in the place of each maximal part of an invalid
// sequence, as https://encoding.spec.whatwg.org/#utf-8-decoder does; a conversion
// to runes would put one for each byte. Lines end in ASCII, so to decode line by
// line is to decode the stream.
func decodeUTF8(p []byte) string {
	if utf8.Valid(p) {
		return string(p)
	}
	var b strings.Builder
	for len(p) > 0 {
		r, size := utf8.DecodeRune(p)
		if r == utf8.RuneError && size == 1 {
			size = invalidPart(p)
		}
		b.WriteRune(r)
		p = p[size:]
	}
	return b.String()
}

// invalidPart returns the length of the longest prefix of p that more bytes could
// have made a rune, at least 1.
func invalidPart(p []byte) int {
	for size := min(len(p), utf8.UTFMax-1); size > 1; size-- {
		if !utf8.FullRune(p[:size]) {
			return size
		}
	}
	return 1
}
