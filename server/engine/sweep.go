package engine

import "time"

// sweep ends the connections whose clients took too long. It looks at all of
// them: at a few nanoseconds each, and twice a second, that is less than what
// an order kept by every request would cost.
func (l *loop) sweep() {
	for _, c := range l.conns {
		if c != nil && time.Duration(l.now-c.since) > l.patience(c) {
			l.expire(c)
		}
	}
	if !l.listening && l.stopping.Load() == running {
		_ = l.listen() // or at the next sweep
	}
}

func (l *loop) patience(c *conn) time.Duration {
	config := &l.engine.config
	switch {
	case c.lingering:
		return lingerTime
	case c.hasOutput():
		return config.WriteTimeout
	case c.isReading():
		return config.ReadTimeout
	}
	return config.IdleTimeout
}

func (l *loop) expire(c *conn) {
	if c.lingering || c.hasOutput() || !c.isReading() {
		l.close(c)
		return
	}
	l.out = l.out[:0]
	l.refuse(c, errLate)
	c.rest, c.body = nil, nil
	l.push(c, l.out)
	l.settle(c, false)
}
