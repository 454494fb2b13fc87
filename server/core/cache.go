package core

import (
	"sync"
	"sync/atomic"

	"github.com/perfpin/perfpin/server/rootfs"
)

// cache holds resources by path up to a number of bytes. What leaves first is
// found by the clock algorithm: a hand goes round and takes the first
// resource that was not used since it last came by. So a hit writes one flag
// at most, where keeping a list in order of use would take a lock.
type cache struct {
	mu     sync.RWMutex
	byPath map[string]*resource
	ring   []*resource
	hand   int
	bytes  int64
	limit  int64
}

// get finds the resource for a canonical path.
func (c *cache) get(path string) *resource {
	c.mu.RLock()
	r := c.byPath[path]
	c.mu.RUnlock()
	return r
}

// add puts r in, in place of another with its path. It is false if the
// cache has no room for it.
func (c *cache) add(r *resource) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.byPath[r.path]; old != nil {
		c.drop(old)
	}
	if !c.reserve(r.bytes, nil) {
		return false
	}
	r.slot = len(c.ring)
	c.ring = append(c.ring, r)
	c.byPath[r.path] = r
	return true
}

// attach gives r one of its representations. It is false, and the caller
// keeps the representation, if r is not in the cache or there is no room.
func (c *cache) attach(r *resource, rep *representation) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.slot < 0 || !c.reserve(rep.cost(), r) {
		return false
	}
	r.bytes += rep.cost()
	r.reps[rep.coding].Store(rep)
	return true
}

// reserve makes room for n bytes without dropping keep, and counts them.
func (c *cache) reserve(n int64, keep *resource) bool {
	kept := int64(0)
	if keep != nil {
		kept = keep.bytes
	}
	if kept+n > c.limit {
		return false
	}
	for c.bytes+n > c.limit {
		if c.hand >= len(c.ring) {
			c.hand = 0
		}
		r := c.ring[c.hand]
		if r == keep || r.used.Swap(false) {
			c.hand++
			continue
		}
		c.drop(r)
	}
	c.bytes += n
	return true
}

// remove takes r out, if it is in.
func (c *cache) remove(r *resource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(r)
}

func (c *cache) drop(r *resource) {
	if r.slot < 0 {
		return
	}
	last := c.ring[len(c.ring)-1]
	c.ring[r.slot], last.slot = last, r.slot
	c.ring[len(c.ring)-1] = nil
	c.ring = c.ring[:len(c.ring)-1]
	r.slot = -1
	delete(c.byPath, r.path)
	c.bytes -= r.bytes
	r.closeFiles()
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.ring) > 0 {
		c.drop(c.ring[len(c.ring)-1])
	}
}

// sweep drops the resources that hold an open file and were not used since
// the sweep before.
func (c *cache) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.ring) - 1; i >= 0; i-- {
		if r := c.ring[i]; r.holdsFile() && !r.used.Swap(false) {
			c.drop(r)
		}
	}
}

// openFile is a file that several answers and the cache share. It is closed
// when the last of them lets go.
type openFile struct {
	*rootfs.File
	info rootfs.Info
	refs atomic.Int32
}

// hold is false if the file is closed already.
func (f *openFile) hold() bool {
	for {
		n := f.refs.Load()
		if n == 0 {
			return false
		}
		if f.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (f *openFile) release() {
	if f.refs.Add(-1) == 0 {
		f.Close()
	}
}
