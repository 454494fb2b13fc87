package engine

import (
	"time"

	"github.com/perfpin/perfpin/server/field"
)

// tails are the ends of heads: Date, Connection where it is needed, and the
// blank line. They are made once in each second that is answered in: a loop that
// answers once makes them once, whenever the second changed.
type tails struct {
	now    time.Time // when the loop last looked at the clock
	second int64     // that they are of, since 1970
	plain  []byte
	keep   []byte // for an HTTP/1.0 client that asked
	close  []byte
}

func (t *tails) update() {
	if t.now.Unix() == t.second {
		return
	}
	t.second = t.now.Unix()
	t.plain = append(t.plain[:0], "Date: "...)
	t.plain = t.now.UTC().AppendFormat(t.plain, field.DateLayout)
	t.plain = append(t.plain, "\r\n"...)
	t.keep = append(append(t.keep[:0], t.plain...), "Connection: keep-alive\r\n\r\n"...)
	t.close = append(append(t.close[:0], t.plain...), "Connection: close\r\n\r\n"...)
	t.plain = append(t.plain, "\r\n"...)
}

// of gives the tail of an answer to r.
func (t *tails) of(r *Request, keep bool) []byte {
	t.update()
	switch {
	case !keep:
		return t.close
	case r.Minor == 0:
		return t.keep
	}
	return t.plain
}

// last gives the tail of an answer that ends its connection.
func (t *tails) last() []byte {
	t.update()
	return t.close
}
