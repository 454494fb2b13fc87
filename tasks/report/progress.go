package report

import (
	"fmt"
	"io"
	"time"
)

// A Step is what a run is doing now.
type Step struct {
	// What says it, as "count benches/rpc.HandleLine/ping".
	What string
	// Done and Total count the work; Total is 0 where it is not known.
	Done, Total int
	// Notable tells that it is worth a line where there is no terminal: it takes long.
	Notable bool
}

// silence is how long a log without a terminal may get no line while work is counted:
// some CI systems end jobs that are silent for minutes.
const silence = 30 * time.Second

// Follow shows the steps until the channel is closed: on a terminal in one line
// that is gone afterwards, elsewhere one line for each that is notable and now and
// then for one that is not. width is the terminal's, 0 where there is none.
func Follow(w io.Writer, steps <-chan Step, width int) {
	const clearLine = "\r\x1b[K"
	last, printed := "", time.Now()
	for step := range steps {
		text := step.String()
		switch {
		case width > 0:
			fmt.Fprint(w, clearLine+shorten(escape(text), width-1))
		case step.Notable && step.What != last:
			fmt.Fprintln(w, escape(step.What))
			last, printed = step.What, time.Now()
		case step.Total > 0 && time.Since(printed) >= silence:
			fmt.Fprintln(w, escape(text))
			printed = time.Now()
		}
	}
	if width > 0 {
		fmt.Fprint(w, clearLine)
	}
}

func (s Step) String() string {
	if s.Total == 0 {
		return s.What
	}
	return fmt.Sprintf("%d/%d %s", s.Done, s.Total, s.What)
}
