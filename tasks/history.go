package tasks

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/perfpin/perfpin/tasks/history"
	"github.com/perfpin/perfpin/tasks/machine"
	"github.com/perfpin/perfpin/tasks/report"
)

// historyFile is where each run of perf adds a line, in the module's folder.
const historyFile = "target/perf/history.jsonl"

// addHistory adds a run to the history, and on which machine it was counted. What has
// been written before is not touched, even where it cannot be read.
func addHistory(root string, results *report.Results, on machine.Machine) error {
	entry := history.Entry{
		Date: results.Date, Commit: results.Commit, Dirty: results.Dirty, Machine: on,
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
