package core

import (
	"time"

	"github.com/perfpin/perfpin/server/rootfs"
	"github.com/perfpin/perfpin/server/urlpath"
)

// Site answers requests for one directory tree. Its methods may be called
// from several goroutines at once, except Close.
type Site struct {
	config   Config
	rules    urlpath.Rules
	root     *rootfs.Root
	cache    cache
	memory   int64 // bytes; the largest file that is read whole if it need not be
	interval int64 // nanoseconds between looks at a cached file
}

// Open makes a Site of the directory root. It is an error if root is not a
// directory, or for each fault in the configuration.
func Open(root string, config Config) (*Site, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	tree, err := rootfs.Open(root)
	if err != nil {
		return nil, err
	}
	s := &Site{
		config:   config,
		rules:    urlpath.Rules{Index: config.Index, Dotfiles: config.Dotfiles},
		root:     tree,
		memory:   config.CacheFileBytes,
		interval: int64(config.Revalidate),
	}
	if config.CacheBytes == 0 {
		s.memory = min(s.memory, sendfileBytes)
	}
	s.cache.limit = config.CacheBytes
	s.cache.byPath = make(map[string]*resource)
	return s, nil
}

// Close drops the cache and ends the use of the root. Answers that are not
// yet released stay valid.
func (s *Site) Close() error {
	s.cache.clear()
	return s.root.Close()
}

// Sweep closes the descriptors of files that were not asked for since the
// call before.
func (s *Site) Sweep() { s.cache.sweep() }

func (s *Site) now() int64 { return s.config.Clock().UnixNano() }

// second is what HTTP dates resolve.
const second = int64(time.Second)

func (s *Site) report(err error) {
	if s.config.OnError != nil {
		s.config.OnError(err)
	}
}
