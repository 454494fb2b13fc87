package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the longest line that Decode reads, in bytes. A tool result can be
// a whole file; anything longer is taken for a file that is no session.
const MaxLine = 16 << 20

// Encode writes frames as JSON Lines (https://jsonlines.org): one object a line,
// each line ended by LF. It refuses frames that Decode would refuse, before the
// first byte is written.
func Encode(w io.Writer, frames []Frame) error {
	var errs []error
	for i := range frames {
		for _, err := range frames[i].check() {
			errs = append(errs, fmt.Errorf("encode session: frame %d: %w", i, err))
		}
	}
	if len(errs) > 0 {
		return counted(errs)
	}
	buffered := bufio.NewWriter(w)
	encoder := json.NewEncoder(buffered)
	// The lines are read by people and by grep; nobody puts them into HTML.
	encoder.SetEscapeHTML(false)
	for i := range frames {
		if err := encoder.Encode(&frames[i]); err != nil {
			return fmt.Errorf("encode session: frame %d: %w", i, err)
		}
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("encode session: %w", err)
	}
	return nil
}

// Decode reads what Encode wrote. Blank lines are passed over, unknown members
// are dropped, and the last line may lack its LF. The error holds one line for
// each failure, as name:line, and then their number.
func Decode(name string, r io.Reader) ([]Frame, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), MaxLine)
	var frames []Frame
	var errs []error
	number := 0
	for lines.Scan() {
		number++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var frame Frame
		if err := json.Unmarshal(line, &frame); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: frame: %w", name, number, err))
			continue
		}
		for _, err := range frame.check() {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, number, err))
		}
		frames = append(frames, frame)
	}
	if err := lines.Err(); err != nil {
		errs = append(errs, fmt.Errorf("%s:%d: %w", name, number+1, err))
	}
	if len(errs) > 0 {
		return nil, counted(errs)
	}
	return frames, nil
}

// counted joins errs and closes them with their number.
func counted(errs []error) error {
	return errors.Join(append(errs, fmt.Errorf("session: %d failures", len(errs)))...)
}
