package throughput

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// A Request is what the load asks for, again and again.
type Request struct {
	// Name is what reports call it.
	Name string
	file *file
	// gzip asks for the encoding of the file's sidecar.
	gzip bool
	// conditional sends the ETag of the answer before, so that the answer is 304.
	conditional bool
	// cacheOff is for the subject with its content cache turned off.
	cacheOff bool
}

// Default tells that the subject runs with its default options.
func (r Request) Default() bool { return !r.cacheOff }

// A file is one of those that all servers serve.
type file struct {
	name     string
	contents []byte
	// sidecar is the contents of the file's .gz, nil for none.
	sidecar []byte
}

// Requests returns all requests that are measured, in the order of the report.
func Requests() []Request {
	small := &file{name: "1k.txt", contents: text(1 << 10)}
	medium := &file{name: "16k.txt", contents: text(16 << 10)}
	large := &file{name: "1m.txt", contents: text(1 << 20)}
	page := &file{name: "page.html", contents: text(16<<10 + 1)}
	page.sidecar = compress(page.contents)
	return []Request{
		{Name: "1 KiB", file: small},
		{Name: "16 KiB", file: medium},
		{Name: "1 MiB", file: large},
		{Name: "304 by ETag", file: small, conditional: true},
		{Name: "gzip sidecar", file: page, gzip: true},
		{Name: "1 KiB, cache off", file: small, cacheOff: true},
	}
}

// text returns size bytes of words. They are the same in every run, so that the
// sidecar's length is too.
func text(size int) []byte {
	random := rand.New(rand.NewPCG(1, uint64(size)))
	var out bytes.Buffer
	for out.Len() < size {
		for range 2 + random.IntN(8) {
			out.WriteByte(byte('a' + random.IntN(26)))
		}
		out.WriteByte(' ')
	}
	return out.Bytes()[:size]
}

func compress(contents []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	// A bytes.Buffer takes everything.
	_, _ = w.Write(contents)
	_ = w.Close()
	return out.Bytes()
}

// writeSite writes the files of all requests into dir, and nothing else may be
// there: what an earlier run left could be served instead.
func writeSite(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range files(Requests()) {
		errs = append(errs, writeFile(filepath.Join(dir, f.name), f.contents))
		if f.sidecar != nil {
			errs = append(errs, writeFile(filepath.Join(dir, f.name+".gz"), f.sidecar))
		}
	}
	return errors.Join(errs...)
}

func writeFile(path string, contents []byte) error {
	if err := os.WriteFile(path, contents, 0o644); err != nil {
		return err
	}
	// The same ETags in every run, and no file that is newer than its sidecar.
	fixed := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	return os.Chtimes(path, fixed, fixed)
}

// files returns each file of the requests once.
func files(requests []Request) []*file {
	var found []*file
	seen := map[string]bool{}
	for _, r := range requests {
		if !seen[r.file.name] {
			seen[r.file.name] = true
			found = append(found, r.file)
		}
	}
	return found
}

// An answer is what a request has to be answered with.
type answer struct {
	status   int
	encoding string
	body     []byte
}

func (r Request) want() answer {
	switch {
	case r.conditional:
		return answer{status: http.StatusNotModified}
	case r.gzip:
		return answer{status: http.StatusOK, encoding: "gzip", body: r.file.sidecar}
	}
	return answer{status: http.StatusOK, body: r.file.contents}
}

// A header is one field of a request.
type header struct{ name, value string }

func (h header) String() string { return h.name + ": " + h.value }

// headers returns the fields that the request has beside Host. etag is the file's,
// as the server gives it.
func (r Request) headers(etag string) []header {
	switch {
	case r.conditional:
		return []header{{"If-None-Match", etag}}
	case r.gzip:
		return []header{{"Accept-Encoding", "gzip"}}
	}
	return nil
}

// Find returns the requests whose names match, and an error when none does.
func Find(match func(name string) bool) ([]Request, error) {
	var found []Request
	var names []string
	for _, r := range Requests() {
		names = append(names, fmt.Sprintf("%q", r.Name))
		if match(r.Name) {
			found = append(found, r)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no request matches: they are %s", names)
	}
	return found, nil
}
