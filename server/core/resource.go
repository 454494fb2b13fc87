package core

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/perfpin/perfpin/server/field"
	"github.com/perfpin/perfpin/server/rootfs"
	"github.com/perfpin/perfpin/server/urlpath"
)

// resource is what one path stood for when it was last looked at: the file
// and its sidecars. It never takes up a change; another takes its place.
type resource struct {
	path string // canonical
	file string // relative to the root
	// plain tells that a target may be compared with path as it was sent.
	plain bool
	// private tells that r never was in the cache: one request has it.
	private bool
	// available has a bit for each coding that may be served.
	available uint8
	// info is what was found for each coding; zero for what does not exist.
	info [field.Codings]rootfs.Info

	reps     [field.Codings]atomic.Pointer[representation]
	building sync.Mutex   // held to make one of reps
	checked  atomic.Int64 // nanoseconds, by the Site's clock
	used     atomic.Bool  // since the cache's hand or a sweep came by

	slot  int   // in the cache's ring, or -1
	bytes int64 // counted by the cache
}

// resourceBytes is about what a resource takes besides its representations.
const resourceBytes = 768

// closeFiles lets go of the files in the name of the cache.
func (r *resource) closeFiles() {
	for c := range r.reps {
		if rep := r.reps[c].Load(); rep != nil && rep.file != nil {
			rep.file.release()
		}
	}
}

func (r *resource) holdsFile() bool {
	for c := range r.reps {
		if rep := r.reps[c].Load(); rep != nil && rep.file != nil {
			return true
		}
	}
	return false
}

// load looks at the file of p and its sidecars and makes a resource of them,
// in the cache where that is possible. The error is rootfs's if there is
// none to serve.
func (s *Site) load(p urlpath.Path) (*resource, error) {
	r := &resource{path: string(p.Canonical), file: string(p.File), slot: -1, bytes: resourceBytes}
	settled := true
	for c := field.Identity; c < field.Codings; c++ {
		if c != field.Identity && !s.hasSidecars(r) {
			break
		}
		info, err := s.probe(r.file + c.Suffix())
		if c == field.Identity && err != nil && !(s.config.SidecarOnly && rootfs.IsMissing(err)) {
			return nil, err
		}
		if err == nil && r.usable(c, info) {
			r.available |= 1 << c
		}
		r.info[c] = info
		settled = settled && (info == rootfs.Info{} || info.Settled())
	}
	if r.available == 0 {
		return nil, errMissing
	}
	r.plain = s.isPlain(r.path)
	r.checked.Store(s.now())
	r.private = !settled || s.cache.limit == 0 || !s.cache.add(r)
	return r, nil
}

// usable tells whether a sidecar is not older than its file.
func (r *resource) usable(c field.Coding, info rootfs.Info) bool {
	return info.Mtime >= r.info[field.Identity].Mtime
}

func (s *Site) hasSidecars(r *resource) bool {
	return s.config.Sidecars && !(len(s.config.Inject) > 0 && isHTML(r.file))
}

// probe finds out whether name can be read. What cannot still has an Info, as
// far as one can be had.
func (s *Site) probe(name string) (rootfs.Info, error) {
	f, info, err := s.root.OpenFile(name)
	if err == nil {
		err = f.Close()
	}
	if errors.Is(err, rootfs.ErrNotRegular) || err == nil {
		return info, err
	}
	info, _ = s.root.Stat(name)
	return info, err
}

// isPlain tells whether path, sent as it is, would resolve to itself.
func (s *Site) isPlain(path string) bool {
	p, err := s.rules.Resolve(nil, path)
	return err == nil && string(p.Canonical) == path && !strings.Contains(path, "?")
}

// isFresh tells whether r still stands for its files, and drops it if not.
func (s *Site) isFresh(r *resource) bool {
	now := s.now()
	checked := r.checked.Load()
	if age := now - checked; age >= 0 && age < s.interval {
		return true
	}
	if s.interval > 0 && !r.checked.CompareAndSwap(checked, now) {
		return true // another request looks right now
	}
	for c := field.Identity; c < field.Codings; c++ {
		if c != field.Identity && !s.hasSidecars(r) {
			break
		}
		if info, _ := s.root.Stat(r.file + c.Suffix()); info != r.info[c] {
			s.cache.remove(r)
			return false
		}
	}
	return true
}
