package engine

import (
	"time"

	"github.com/perfpin/perfpin/server/field"
)

// tails are the ends of heads: Date, Connection where it is needed, and the
// blank line. They are made once a second.
type tails struct {
	second int64 // since 1970
	plain  []byte
	keep   []byte // for an HTTP/1.0 client that asked
	close  []byte
}

func (t *tails) update(now time.Time) {
	if now.Unix() == t.second {
		return
	}
	t.second = now.Unix()
	t.plain = append(t.plain[:0], "Date: "...)
	t.plain = now.UTC().AppendFormat(t.plain, field.DateLayout)
	t.plain = append(t.plain, "\r\n"...)
	t.keep = append(append(t.keep[:0], t.plain...), "Connection: keep-alive\r\n\r\n"...)
	t.close = append(append(t.close[:0], t.plain...), "Connection: close\r\n\r\n"...)
	t.plain = append(t.plain, "\r\n"...)
}

// of gives the tail of an answer to r.
func (t *tails) of(r *Request, keep bool) []byte {
	switch {
	case !keep:
		return t.close
	case r.Minor == 0:
		return t.keep
	}
	return t.plain
}
