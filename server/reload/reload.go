// Package reload tells browsers that a file changed: it watches a tree and
// sends server-sent events (HTML Living Standard §9.2).
package reload

import (
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Path is where the events are asked for.
const Path = "/_perfpin/reload"

// Script is what makes a page listen. It reloads, too, when the server comes
// back after it was gone.
const Script = `<script>(()=>{let gone=false;const s=new EventSource("` + Path + `");` +
	`s.onerror=()=>{gone=true};s.onopen=()=>{if(gone)location.reload()};` +
	`s.addEventListener("reload",()=>location.reload())})()</script>`

// Head gives the fields, names and values, of an answer with events.
func Head() [][2]string {
	return [][2]string{
		{"Content-Type", "text/event-stream; charset=utf-8"},
		{"Cache-Control", "no-store"},
	}
}

const (
	// quiet is how long nothing may change before browsers are told: a build
	// writes many files.
	quiet = 50 * time.Millisecond
	// heartbeat is sent so that connections which nobody listens to any more
	// are found, and proxies keep the others.
	heartbeat = 15 * time.Second
)

// Hub watches a tree and knows who listens.
type Hub struct {
	watcher *fsnotify.Watcher
	done    chan struct{}
	close   sync.Once

	mu      sync.Mutex
	changed chan struct{} // closed at a change, and replaced
}

// Watch begins to watch the directories below root. It follows no links.
func Watch(root string) (*Hub, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	h := &Hub{watcher: w, done: make(chan struct{}), changed: make(chan struct{})}
	if err := h.add(root); err != nil {
		w.Close()
		return nil, err
	}
	go h.run()
	return h, nil
}

// Close ends the watching and every Stream.
func (h *Hub) Close() {
	h.close.Do(func() {
		close(h.done)
		h.watcher.Close()
	})
}

// add watches dir and the directories below it, leaving out hidden ones. A
// directory that is gone again meanwhile is no error.
func (h *Hub) add(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return err
		case err != nil || !entry.IsDir():
			return nil
		case path != dir && entry.Name()[0] == '.':
			return filepath.SkipDir
		}
		return h.watcher.Add(path)
	})
}

// run gathers changes until there is quiet.
func (h *Hub) run() {
	settled := time.NewTimer(quiet)
	settled.Stop()
	for {
		select {
		case event, ok := <-h.watcher.Events:
			if !ok {
				return
			}
			if filepath.Base(event.Name)[0] == '.' {
				continue // not served, and where editors keep their notes
			}
			if event.Has(fsnotify.Create) {
				// Whatever the name stands for: what is no directory, or is
				// gone, adds nothing.
				_ = h.add(event.Name)
			}
			if event.Op != fsnotify.Chmod {
				settled.Reset(quiet)
			}
		case _, ok := <-h.watcher.Errors:
			if !ok {
				return
			}
			settled.Reset(quiet) // events may be lost: better once too often
		case <-settled.C:
			h.mu.Lock()
			close(h.changed)
			h.changed = make(chan struct{})
			h.mu.Unlock()
		}
	}
}

// Stream writes events until done is closed, write fails, or the Hub is
// closed.
func (h *Hub) Stream(done <-chan struct{}, write func([]byte) error) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	next := h.next()
	message := []byte("retry: 1000\n\n")
	for {
		if write(message) != nil {
			return
		}
		select {
		case <-done:
			return
		case <-h.done:
			return
		case <-beat.C:
			message = []byte(": still here\n\n")
		case <-next:
			next = h.next()
			message = []byte("event: reload\ndata:\n\n")
		}
	}
}

func (h *Hub) next() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}
