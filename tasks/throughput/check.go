package throughput

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// checkTimeout is far above what an answer takes that comes at all.
const checkTimeout = 5 * time.Second

// A finding is what a check learns about the answers that the load will get.
type finding struct {
	// etag is that of the request's file.
	etag string
	// wire is the length of the whole answer, head and body, in bytes.
	wire int64
}

// check asks the server at addr for every file, and the request itself, over one
// connection. Each answer has to be the right one and leave the connection open. All
// wrong ones are told.
func check(ctx context.Context, addr string, r Request) (finding, error) {
	dialer := net.Dialer{Timeout: checkTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return finding{}, err
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()

	c := &checker{conn: conn, addr: addr}
	c.in = bufio.NewReader(io.TeeReader(conn, &c.seen))
	var found finding
	var errs []error
	for _, f := range files(Requests()) {
		got, err := c.ask(Request{file: f}, "")
		if errs = append(errs, err); lost(err) {
			return finding{}, joinLine(errs)
		}
		if f.name == r.file.name {
			found.etag = got.etag
		}
	}
	if r.conditional && found.etag == "" {
		return finding{}, joinLine(append(errs, fmt.Errorf("GET /%s: the answer has no ETag", r.file.name)))
	}
	got, err := c.ask(r, found.etag)
	found.wire = got.wire
	return found, joinLine(append(errs, err))
}

// joinLine joins the errors that are not nil on one line.
func joinLine(errs []error) error {
	var texts []string
	for _, err := range errs {
		if err != nil {
			texts = append(texts, err.Error())
		}
	}
	if texts == nil {
		return nil
	}
	return errors.New(strings.Join(texts, "; "))
}

// A checker asks over one connection.
type checker struct {
	conn net.Conn
	addr string
	in   *bufio.Reader
	seen tally // bytes read from conn
}

// A lostError is one after which the connection cannot be used.
type lostError struct{ error }

func (e lostError) Unwrap() error { return e.error }

func lost(err error) bool {
	var l lostError
	return errors.As(err, &l)
}

// ask sends one request and compares the answer.
func (c *checker) ask(r Request, etag string) (finding, error) {
	what := "GET /" + r.file.name
	if err := c.conn.SetDeadline(time.Now().Add(checkTimeout)); err != nil {
		return finding{}, err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "GET /%s HTTP/1.1\r\nHost: %s\r\n", r.file.name, c.addr)
	for _, h := range r.headers(etag) {
		out.WriteString(h.String() + "\r\n")
		what += " with " + h.String()
	}
	out.WriteString("\r\n")
	before := int64(c.seen) - int64(c.in.Buffered())
	if _, err := io.WriteString(c.conn, out.String()); err != nil {
		return finding{}, lostError{fmt.Errorf("%s: %w", what, err)}
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return finding{}, lostError{fmt.Errorf("%s: %w", what, err)}
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close() // it has nothing more to tell
	if err != nil {
		return finding{}, lostError{fmt.Errorf("%s: after %d bytes of the body: %w", what, len(body), err)}
	}
	found := finding{etag: answer.Header.Get("ETag"), wire: int64(c.seen) - int64(c.in.Buffered()) - before}
	if err := compare(answer, body, r.want()); err != nil {
		return found, fmt.Errorf("%s: %w", what, err)
	}
	if answer.Close {
		return found, lostError{fmt.Errorf("%s: the server closes the connection", what)}
	}
	return found, nil
}

func compare(got *http.Response, body []byte, want answer) error {
	var errs []error
	if got.StatusCode != want.status {
		errs = append(errs, fmt.Errorf("got status %d, want %d", got.StatusCode, want.status))
	}
	if encoding := got.Header.Get("Content-Encoding"); encoding != want.encoding {
		errs = append(errs, fmt.Errorf("got content encoding %q, want %q", encoding, want.encoding))
	}
	switch {
	case len(body) != len(want.body):
		errs = append(errs, fmt.Errorf("got a body of %d bytes, want %d", len(body), len(want.body)))
	case !bytes.Equal(body, want.body):
		errs = append(errs, fmt.Errorf("got another body of %d bytes", len(body)))
	}
	if want.status == http.StatusOK && got.ContentLength != int64(len(want.body)) {
		errs = append(errs, fmt.Errorf("got content length %d, want %d", got.ContentLength, len(want.body)))
	}
	return joinLine(errs)
}

// tally counts the bytes that are written to it.
type tally int64

func (t *tally) Write(p []byte) (int, error) {
	*t += tally(len(p))
	return len(p), nil
}
