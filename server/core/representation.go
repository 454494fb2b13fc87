package core

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/perfpin/perfpin/server/field"
	"github.com/perfpin/perfpin/server/mediatype"
	"github.com/perfpin/perfpin/server/rootfs"
)

// representation is one coding of a resource with its ready-made heads. Head
// and content are of the same version of the file: it is made whole or not at
// all, and never changes.
type representation struct {
	coding   field.Coding
	size     int64 // bytes of content
	modified int64 // seconds since 1970
	etag     string
	lastMod  string
	mediaT   string

	head        []byte // of 200
	notModified []byte // of 304

	body []byte    // the content, or
	file *openFile // where it is
}

// errStale is the reason to load a resource anew: a file changed after it was
// looked at.
var errStale = errors.New("file changed while it was read")

// representationBytes is about what one takes besides heads and content.
const representationBytes = 512

func (rep *representation) cost() int64 {
	return representationBytes + int64(len(rep.head)+len(rep.notModified)+len(rep.body))
}

// build makes a representation of r from the file. The file is held once for
// whoever gets the representation.
func (s *Site) build(r *resource, c field.Coding) (*representation, error) {
	f, info, err := s.root.OpenFile(r.file + c.Suffix())
	if err != nil {
		return nil, err
	}
	if r.private && c == field.Identity {
		r.info[c] = info // nobody else has gone by the older one
	}
	if info != r.info[c] {
		f.Close()
		return nil, errStale
	}
	rep := &representation{
		coding:   c,
		size:     info.Size,
		modified: info.Mtime / second,
		mediaT:   mediatype.ByName(r.file),
	}
	rep.lastMod = time.Unix(rep.modified, 0).UTC().Format(field.DateLayout)
	if info.Size > s.wholeBytes(r.file) {
		rep.file = &openFile{File: f, info: info}
		rep.file.refs.Store(1)
		rep.etag = statTag(info, c)
	} else {
		body, err := readWhole(f, info)
		f.Close()
		if err != nil {
			return nil, err
		}
		if len(s.config.Inject) > 0 && isHTML(r.file) {
			body = inject(body, s.config.Inject)
		}
		rep.body, rep.size = body, int64(len(body))
		rep.etag = contentTag(body, c)
	}
	s.writeHeads(r, rep)
	return rep, nil
}

// pageBytes bounds the files that have to be read whole, since they are
// changed or sent with another status.
const pageBytes = 1 << 20

// wholeBytes is the largest size at which the file name is read whole.
func (s *Site) wholeBytes(name string) int64 {
	isPage := len(s.config.Inject) > 0 && isHTML(name)
	for _, page := range s.config.ErrorPages {
		isPage = isPage || page == name
	}
	if isPage {
		return max(s.memory, pageBytes)
	}
	return s.memory
}

// readWhole reads all of f, or fails with errStale if it is not the version
// that info describes, before or after. While the file is too fresh for its
// times to tell it is read twice: what was the same both times was the content
// at some instant, and is not put together from two.
func readWhole(f *rootfs.File, info rootfs.Info) ([]byte, error) {
	settled := info.Settled()
	body, err := readOnce(f, info)
	if err != nil || settled {
		return body, err
	}
	again, err := readOnce(f, info)
	if err == nil && !bytes.Equal(body, again) {
		err = errStale
	}
	return body, err
}

func readOnce(f *rootfs.File, info rootfs.Info) ([]byte, error) {
	body := make([]byte, info.Size)
	if _, err := f.ReadAt(body, 0); errors.Is(err, io.EOF) {
		return nil, errStale
	} else if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	after, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("fstat: %w", err)
	}
	if after != info {
		return nil, errStale
	}
	return body, nil
}

// contentTag is an entity tag made of the content: strong whatever the clock
// of the file system is worth, and the same on every server.
func contentTag(body []byte, c field.Coding) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:12]) + tagSuffix(c) + `"`
}

// statTag is an entity tag made of time and size, for what is too large to be
// read first. It is weak while another change could leave the same time.
func statTag(info rootfs.Info, c field.Coding) string {
	tag := `"` + strconv.FormatInt(info.Mtime, 16) + "-" + strconv.FormatInt(info.Size, 16) + tagSuffix(c) + `"`
	if !info.Settled() {
		return "W/" + tag
	}
	return tag
}

// tagSuffix keeps the tags of two codings apart even where contents are equal
// (RFC 9110 §8.8.3.3).
func tagSuffix(c field.Coding) string {
	if c == field.Identity {
		return ""
	}
	return "-" + c.Name()
}

func isHTML(name string) bool {
	return strings.HasPrefix(mediatype.ByName(name), "text/html")
}

func inject(body, extra []byte) []byte {
	at := bytes.LastIndex(body, []byte("</body>"))
	if at < 0 {
		at = len(body)
	}
	out := make([]byte, 0, len(body)+len(extra))
	out = append(out, body[:at]...)
	out = append(out, extra...)
	return append(out, body[at:]...)
}
