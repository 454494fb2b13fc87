package server

import (
	"io"
	"net"
	"strconv"
	"sync"
	"time"
)

// accessLog writes the Common Log Format. A nil one writes nothing.
type accessLog struct {
	mu  sync.Mutex
	w   io.Writer
	now func() time.Time
	buf []byte
}

// write adds a line. What came from the client is quoted, so that it cannot
// begin a line of its own. Sent counts the content, in bytes.
func (l *accessLog) write(remote, method, target, proto string, status int, sent int64) {
	if l == nil {
		return
	}
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	line := append(l.buf[:0], host...)
	line = append(line, " - - ["...)
	line = l.now().AppendFormat(line, "02/Jan/2006:15:04:05 -0700")
	line = append(line, "] "...)
	line = strconv.AppendQuote(line, method+" "+target+" "+proto)
	line = append(line, ' ')
	line = strconv.AppendInt(line, int64(status), 10)
	line = append(line, ' ')
	line = strconv.AppendInt(line, sent, 10)
	line = append(line, '\n')
	l.w.Write(line)
	l.buf = line
}
