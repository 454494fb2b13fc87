package engine

// Body passes over the content of a request and checks how it is framed. It
// keeps its place between calls and holds no bytes.
type Body struct {
	state bodyState
	left  int64 // bytes of the content, or of the chunk
	read  int64 // bytes so far, framing included
	limit int64
	// digits of the chunk size that is being read, and bytes of extensions
	// and trailers in all.
	digits, extra int
}

type bodyState uint8

const (
	bodyDone bodyState = iota
	bodySized
	chunkSize
	chunkExtension
	chunkSizeLF
	chunkData
	chunkDataCR
	chunkDataLF
	trailerStart
	trailerName
	trailerValue
	trailerLF
	lastLF
)

// maxExtra bounds extensions and trailers in bytes: nothing reads them, and
// they would be a way to send without end.
const maxExtra = 2 << 10

// maxSizeDigits is what other readers take of a chunk size, zeros included.
const maxSizeDigits = 16

// NewBody gets ready for the content of r, which follows its head. Content of
// more than limit bytes, framing included, is refused with 413.
func NewBody(r *Request, limit int64) (Body, error) {
	b := Body{limit: limit, left: r.Length}
	switch {
	case r.Length == chunkedLength:
		b.state, b.left = chunkSize, 0
	case r.Length > limit:
		return b, errBodyLong
	case r.Length > 0:
		b.state = bodySized
	}
	return b, nil
}

// Done tells that the content has ended.
func (b *Body) Done() bool { return b.state == bodyDone }

// Skip passes over as much of buf as belongs to the content and returns how
// much that is: less than all only if the content ends in buf. The error is a
// *Refusal, and depends on the first byte at fault alone.
func (b *Body) Skip(buf []byte) (int, error) {
	i := 0
	for i < len(buf) && !b.Done() {
		n := 1
		if b.state == bodySized || b.state == chunkData {
			n = int(min(b.left, int64(len(buf)-i)))
		}
		if b.read += int64(n); b.read > b.limit {
			return i, errBodyLong
		}
		if err := b.step(buf[i], n); err != nil {
			return i, err
		}
		i += n
	}
	return i, nil
}

// step takes n bytes of data, or the one byte c of framing.
func (b *Body) step(c byte, n int) error {
	switch b.state {
	case bodySized, chunkData:
		if b.left -= int64(n); b.left > 0 {
			return nil
		}
		if b.state == bodySized {
			b.state = bodyDone
		} else {
			b.state = chunkDataCR
		}
		return nil
	case chunkDataCR:
		return b.expect(c, '\r', chunkDataLF, errChunk)
	case chunkDataLF:
		return b.expect(c, '\n', chunkSize, errChunk)
	case chunkSize, chunkExtension, chunkSizeLF:
		return b.stepSize(c)
	}
	return b.stepTrailer(c)
}

func (b *Body) expect(c, want byte, next bodyState, otherwise *Refusal) error {
	if c != want {
		return otherwise
	}
	b.state = next
	return nil
}

// stepSize reads the line before a chunk (RFC 9112 §7.1). White space before
// an extension, which the grammar has, is refused: readers differ on it.
func (b *Body) stepSize(c byte) error {
	switch {
	case b.state == chunkSizeLF:
		b.digits = 0
		if b.left == 0 {
			return b.expect(c, '\n', trailerStart, errChunk)
		}
		return b.expect(c, '\n', chunkData, errChunk)
	case b.state == chunkSize && isHex(c):
		if b.digits++; b.digits > maxSizeDigits {
			return errChunk
		}
		if b.left = b.left<<4 | int64(hexValue(c)); b.left > b.limit {
			return errBodyLong
		}
		return nil
	case c == '\r' && b.digits > 0:
		b.state = chunkSizeLF
		return nil
	case b.state == chunkSize && (c != ';' || b.digits == 0):
		return errChunk
	}
	b.state = chunkExtension
	return b.takeExtra(c, errChunk)
}

// stepTrailer reads the field lines after the last chunk (RFC 9112 §7.1.2).
// Nothing is done with them.
func (b *Body) stepTrailer(c byte) error {
	switch b.state {
	case lastLF:
		return b.expect(c, '\n', bodyDone, errTrailer)
	case trailerLF:
		return b.expect(c, '\n', trailerStart, errTrailer)
	case trailerStart:
		if c == '\r' {
			b.state = lastLF
			return nil
		}
		if !isToken(c) {
			return errTrailer
		}
		b.state = trailerName
	case trailerName:
		if c == ':' {
			b.state = trailerValue
		} else if !isToken(c) {
			return errTrailer
		}
	case trailerValue:
		if c == '\r' {
			b.state = trailerLF
			return nil
		}
	}
	return b.takeExtra(c, errTrailer)
}

func (b *Body) takeExtra(c byte, otherwise *Refusal) error {
	if b.extra++; b.extra > maxExtra {
		return errBodyLong
	}
	if !isValue(c) {
		return otherwise
	}
	return nil
}

func hexValue(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
