package tasks

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/perfpin/perfpin/tasks/history"
	"github.com/perfpin/perfpin/tasks/report"
)

// historyFile is where each run of perf adds a line, in the module's folder.
const historyFile = "target/perf/history.jsonl"

// addHistory adds a run to the history. What has
// been written before is not touched, even where it cannot be read.
func addHistory(root string, results *report.Results) error {
	entry := history.Entry{
		Date: results.Date, Commit: results.Commit, Dirty: results.Dirty, Machine: results.Machine,
		Platform: history.Platform(results.Platform),
	}
	for _, b := range results.Benches {
		if b.Iters != nil && b.Settled {
			entry.Benches = append(entry.Benches, history.Count{Bench: b.Bench, Iters: *b.Iters, Total: *b.Total})
		}
	}
	line, err := history.Encode(entry)
	if err != nil {
		return err
	}
	path := filepath.Join(root, filepath.FromSlash(historyFile))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	end, err := lastByte(file)
	if err == nil {
		// One write, so that two runs at once do not mix their lines.
		_, err = file.Write(append([]byte(history.Joint(end)), line...))
	}
	return errors.Join(err, file.Close())
}

// lastByte returns the last byte of a file, nothing of an empty one.
func lastByte(file *os.File) ([]byte, error) {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return nil, err
	}
	end := make([]byte, 1)
	_, err = file.ReadAt(end, info.Size()-1)
	return end, err
}

// mostHistory is how much of the history is read, in bytes, the newest part: some
// thousand runs of a hundred benches, far more than a trend shows.
const mostHistory = 32 << 20

// readHistory returns the newest lines of the history, at most so many bytes, and how
// many lines are before them.
func readHistory(root string, most int64) (lines []byte, before int, err error) {
	file, err := os.Open(filepath.Join(root, filepath.FromSlash(historyFile)))
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	older := max(0, info.Size()-most)
	if before, err = countLines(io.LimitReader(file, older)); err != nil {
		return nil, 0, err
	}
	if lines, err = io.ReadAll(file); err != nil || older == 0 {
		return lines, 0, err
	}
	// The first line is most likely the rest of one.
	_, lines, _ = bytes.Cut(lines, []byte("\n"))
	return lines, before + 1, nil
}

func countLines(r io.Reader) (int, error) {
	buffer := make([]byte, 1<<16)
	for lines := 0; ; {
		n, err := r.Read(buffer)
		lines += bytes.Count(buffer[:n], []byte("\n"))
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
