package core

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
)

// Config says what a Site serves and how. Begin with Defaults: zero values
// mean what they say.
type Config struct {
	// CacheBytes bounds the content cache; 0 turns it off. A file that changed
	// within the last rootfs.Settling is not kept.
	CacheBytes int64
	// CacheFileBytes is the largest file that is held in memory. Larger ones
	// are sent from an open file.
	CacheFileBytes int64
	// Revalidate is how long a cached answer is given without looking at the
	// file again; 0 looks at every request.
	Revalidate time.Duration
	// Clock is time.Now, or a cheaper or a frozen one. Only differences and
	// the age of a Last-Modified depend on it.
	Clock func() time.Time

	// Index is the file that answers for a directory.
	Index string
	// Listing answers for a directory without index by its names.
	Listing bool
	// Fallback names the file, relative to the root, that answers navigation
	// to a path that is missing and has no extension: the page of a
	// single-page application. Empty turns it off.
	Fallback string
	// Dotfiles serves names that begin with a dot.
	Dotfiles bool
	// Sidecars serves FILE.br, FILE.zst and FILE.gz as codings of FILE, where
	// they are not older than it.
	Sidecars bool
	// SidecarOnly serves them where FILE itself does not exist, too.
	SidecarOnly bool
	// Immutable tells which paths ("/assets/app.1f2e.js") never change.
	Immutable func(path string) bool
	// Headers are added to answers with a file's content (200, 206 and 304).
	Headers []HeaderRule
	// ErrorPages maps a status of 400 or more to the file, relative to the
	// root and of at most 1 MiB, whose content is sent with it.
	ErrorPages map[int]string
	// Inject is put into HTML of at most 1 MiB, before its last "</body>" or
	// at its end. HTML has no sidecars then.
	Inject []byte
	// MaxRanges bounds the parts of one Range field; with more it is ignored.
	MaxRanges int
	// OnError is told of files that could not be read, with their names. It
	// may be called from several goroutines at once.
	OnError func(error)
}

// HeaderRule adds fields to the paths that match Pattern: a path.Match
// pattern, or a prefix where it ends in "/**".
type HeaderRule struct {
	Pattern string
	Fields  []HeaderField
}

// HeaderField is one field line. Content-Type and Cache-Control replace what
// the Site would send.
type HeaderField struct{ Name, Value string }

// Defaults is the configuration without options: 32 MiB of cache for files up
// to 64 KiB, revalidated after one second, index.html, sidecars on, and
// dotfiles, listing and fallback off.
func Defaults() Config {
	return Config{
		CacheBytes:     32 << 20,
		CacheFileBytes: sendfileBytes,
		Revalidate:     time.Second,
		Clock:          time.Now,
		Index:          "index.html",
		Sidecars:       true,
		MaxRanges:      16,
	}
}

// sendfileBytes is from where on it costs less to have the kernel send from
// the file than to copy memory to the socket: measured, it is between 64 and
// 128 KiB.
const sendfileBytes = 64 << 10

// validate reports every fault of the configuration, not the first alone.
func (c *Config) validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("config: "+format, args...))
	}
	if c.CacheBytes < 0 || c.CacheFileBytes < 0 || c.Revalidate < 0 || c.MaxRanges < 0 {
		fault("negative bound: cache %d, cached file %d bytes, revalidate %v, ranges %d",
			c.CacheBytes, c.CacheFileBytes, c.Revalidate, c.MaxRanges)
	}
	if c.Clock == nil {
		fault("clock: got nil, want a function")
	}
	if !isName(c.Index) || strings.Contains(c.Index, "/") {
		fault("index %q: want the name of a file", c.Index)
	}
	if c.Fallback != "" && !isName(c.Fallback) {
		fault("fallback %q: want a name relative to the root", c.Fallback)
	}
	for status, name := range c.ErrorPages {
		if status < 400 || status > 599 || !isName(name) {
			fault("error page %d=%q: want a status of 400 to 599 and a name relative to the root", status, name)
		}
	}
	for _, rule := range c.Headers {
		faults = append(faults, rule.validate())
	}
	return errors.Join(faults...)
}

// isName tells a relative name in its shortest form.
func isName(name string) bool {
	return name != "" && name != "." && name[0] != '/' && path.Clean(name) == name &&
		name != ".." && !strings.HasPrefix(name, "../") && !strings.ContainsAny(name, "\x00\\")
}

func (r HeaderRule) validate() error {
	var faults []error
	if _, err := path.Match(r.Pattern, "/"); err != nil || !strings.HasPrefix(r.Pattern, "/") {
		faults = append(faults, fmt.Errorf("config: header pattern %q: want a pattern that begins with a slash", r.Pattern))
	}
	for _, f := range r.Fields {
		switch {
		case !isToken(f.Name) || !isFieldValue(f.Value):
			faults = append(faults, fmt.Errorf("config: header %q: %q: not a field line (RFC 9110 §5.5)", f.Name, f.Value))
		case isFraming(f.Name):
			faults = append(faults, fmt.Errorf("config: header %q: the server sets this one itself", f.Name))
		}
	}
	return errors.Join(faults...)
}

func (r HeaderRule) matches(name string) bool {
	if prefix, ok := strings.CutSuffix(r.Pattern, "**"); ok && strings.HasSuffix(prefix, "/") {
		return strings.HasPrefix(name, prefix)
	}
	ok, _ := path.Match(r.Pattern, name)
	return ok
}

// isToken follows RFC 9110 §5.6.2.
func isToken(s string) bool {
	for _, c := range []byte(s) {
		alnum := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
		if !alnum && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

func isFieldValue(s string) bool {
	for _, c := range []byte(s) {
		if c < 0x20 && c != '\t' || c == 0x7f {
			return false
		}
	}
	return strings.TrimSpace(s) == s
}

// isFraming tells the fields that would make an answer wrong if they came
// from outside.
func isFraming(name string) bool {
	for _, own := range []string{
		"Accept-Ranges", "Connection", "Content-Encoding", "Content-Length", "Content-Range", "Date",
		"ETag", "Keep-Alive", "Last-Modified", "Trailer", "Transfer-Encoding", "Upgrade",
	} {
		if strings.EqualFold(name, own) {
			return true
		}
	}
	return false
}
