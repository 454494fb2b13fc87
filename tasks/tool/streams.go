package tool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"syscall"
	"time"
)

// streams joins a command's standard streams with its files and writers. Copying
// is done here and not by os/exec, whose Wait hangs as long as a grandchild holds
// a pipe: the group has to be killed between the child's exit and the last read.
type streams struct {
	stdin, stdout, stderr *os.File // the child's ends
	excerpt               *excerpt

	childEnds []io.Closer // to be closed once the child has its copies
	readers   []*os.File  // our ends of its output
	stdinEnd  io.Closer   // our end of its input
	logFile   *os.File
	copies    sync.WaitGroup
}

func (c Command) openStreams() (*streams, error) {
	s := &streams{excerpt: &excerpt{endOnly: c.Log != ""}}
	err := s.open(c)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *streams) open(c Command) (err error) {
	log, err := s.openLog(c)
	if err != nil {
		return err
	}
	out, errOut := orLog(c.Stdout, log), orLog(c.Stderr, log)
	if s.stdin, err = s.input(c.Stdin); err != nil {
		return err
	}
	if s.stdout, err = s.output(out); err != nil {
		return err
	}
	if same(out, errOut) {
		// One pipe for both keeps the order in which the lines were written.
		s.stderr = s.stdout
		return nil
	}
	s.stderr, err = s.output(errOut)
	return err
}

// openLog returns what the streams left nil are written to.
func (s *streams) openLog(c Command) (io.Writer, error) {
	writers := []io.Writer{s.excerpt}
	if c.Line != nil {
		writers = append(writers, &lines{each: c.Line})
	}
	if c.Log != "" {
		if err := os.MkdirAll(filepath.Dir(c.Log), 0o777); err != nil {
			return nil, fmt.Errorf("log: %w", err)
		}
		file, err := os.OpenFile(c.Log, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
		if err != nil {
			return nil, fmt.Errorf("log: %w", err)
		}
		s.logFile = file
		writers = append(writers, file)
	}
	return io.MultiWriter(writers...), nil
}

func orLog(w, log io.Writer) io.Writer {
	if w == nil {
		return log
	}
	return w
}

// same reports whether a and b are one writer. Comparing writers of a type that
// cannot be compared would panic.
func same(a, b io.Writer) bool {
	return reflect.TypeOf(a).Comparable() && a == b
}

// input returns the file that the child reads as its standard input.
func (s *streams) input(r io.Reader) (*os.File, error) {
	if file, ok := r.(*os.File); ok {
		return file, nil
	}
	if r == nil {
		null, err := os.Open(os.DevNull)
		if err == nil {
			s.childEnds = append(s.childEnds, null)
		}
		return null, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.childEnds = append(s.childEnds, read)
	s.stdinEnd = write
	go func() {
		// A program is free not to read its input: the write then fails.
		_, _ = io.Copy(write, r)
		_ = write.Close()
	}()
	return read, nil
}

// output returns the file that the child writes for w.
func (s *streams) output(w io.Writer) (*os.File, error) {
	if file, ok := w.(*os.File); ok {
		return file, nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.childEnds = append(s.childEnds, write)
	s.readers = append(s.readers, read)
	s.copies.Go(func() {
		_, err := io.Copy(w, read)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			drain(w, read)
		case err != nil:
			// The writer is full or broken; the child must not block on it.
			_, _ = io.Copy(io.Discard, read)
		}
	})
	return write, nil
}

// drain copies what a pipe holds now, without waiting for its end.
func drain(w io.Writer, read *os.File) {
	conn, err := read.SyscallConn()
	if err != nil {
		return
	}
	buf := make([]byte, 32<<10)
	// Control, unlike Read, does not mind the deadline. The pipe does not block.
	_ = conn.Control(func(fd uintptr) {
		for {
			n, err := syscall.Read(int(fd), buf)
			if err == syscall.EINTR {
				continue
			}
			if err != nil || n == 0 {
				return
			}
			if _, err := w.Write(buf[:n]); err != nil {
				return
			}
		}
	})
}

// release closes the ends that the child now has its own copies of.
func (s *streams) release() {
	for _, end := range s.childEnds {
		_ = end.Close()
	}
	s.childEnds = nil
}

// close hands on the last of the output and closes everything. The process group
// is dead, so that the pipes hold all that it wrote; the end of a pipe is not
// waited for, as a program that has left the group can hold it open.
func (s *streams) close() error {
	s.release()
	if s.stdinEnd != nil {
		_ = s.stdinEnd.Close()
	}
	for _, r := range s.readers {
		_ = r.SetReadDeadline(time.Now())
	}
	s.copies.Wait()
	for _, r := range s.readers {
		_ = r.Close()
	}
	if s.logFile == nil {
		return nil
	}
	if err := s.logFile.Close(); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	return nil
}
