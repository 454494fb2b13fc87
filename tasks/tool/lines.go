package tool

import "bytes"

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
