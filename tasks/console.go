package tasks

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/perfpin/perfpin/tasks/report"
)

// A console is where a target prints: results on one stream, progress on the
// other, so that results can be piped.
type console struct {
	out, progress *os.File
}

func newConsole() console { return console{out: os.Stdout, progress: os.Stderr} }

// options fit results to the output.
func (c console) options() report.TerminalOptions {
	width := width(c.out)
	// https://no-color.org: set to anything but nothing.
	plain := os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"
	return report.TerminalOptions{Color: width > 0 && !plain, Width: width}
}

// say prints a line of progress that stays.
func (c console) say(format string, args ...any) {
	fmt.Fprintf(c.progress, format+"\n", args...)
}

// follow returns a channel whose steps are shown until stop is called.
func (c console) follow() (steps chan<- report.Step, stop func()) {
	channel := make(chan report.Step)
	done := make(chan struct{})
	go func() {
		defer close(done)
		report.Follow(io.Writer(c.progress), channel, width(c.progress))
	}()
	return channel, func() {
		close(channel)
		<-done
	}
}

// width returns the width of the terminal in cells, 0 where there is none.
func width(file *os.File) int {
	if os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil || columns < 1 {
		return 80
	}
	return columns
}
