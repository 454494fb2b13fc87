package valgrind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// maxArchive bounds a download, in bytes; 3.27.1 has 17 MB.
	maxArchive = 256 << 20
	// The next source is tried when a server does not answer for this long.
	connectTimeout = 10 * time.Second
	answerTimeout  = 30 * time.Second
	// reportBytes is how much of a download passes between two reports.
	reportBytes = 256 << 10
)

// fetch gets the archive of an accepted release into dir and returns its path.
// An error tells of every source that was tried.
func (b bootstrap) fetch(ctx context.Context, dir string) (string, release, error) {
	if b.source != "" {
		path, r, err := b.fetchNamed(ctx, dir)
		if err != nil {
			err = fmt.Errorf("%s: %s: %w", SourceVariable, b.source, err)
		}
		return path, r, err
	}
	preferred := b.releases[0]
	path, err := b.download(ctx, b.upstream+preferred.archive(), dir)
	if err == nil {
		var r release
		if r, err = identify(path, b.releases); err == nil {
			return path, r, nil
		}
	}
	err = fmt.Errorf("%s%s: %w", b.upstream, preferred.archive(), err)
	if ctx.Err() != nil {
		return "", release{}, err
	}
	path, r, debianErr := b.fetchDebian(ctx, dir)
	if debianErr == nil {
		return path, r, nil
	}
	return "", release{}, fmt.Errorf("%w\nhint: %s=/path/to/%s go tool mage bootstrap",
		errors.Join(err, fmt.Errorf("debian source package: %w", debianErr)), SourceVariable, preferred.archive())
}

// fetchNamed gets the archive that SourceVariable names. A file is used where it
// is.
func (b bootstrap) fetchNamed(ctx context.Context, dir string) (string, release, error) {
	path := b.source
	if strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://") {
		var err error
		if path, err = b.download(ctx, b.source, dir); err != nil {
			return "", release{}, err
		}
	}
	r, err := identify(path, b.releases)
	return path, r, err
}

// download gets a URL into dir. The errors do not repeat the URL.
func (b bootstrap) download(ctx context.Context, url, dir string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout:   connectTimeout,
		ResponseHeaderTimeout: answerTimeout,
		DisableKeepAlives:     true,
	}}
	b.report(Progress{Step: "fetch valgrind"})
	response, err := client.Do(request)
	if err != nil {
		return "", errors.Unwrap(err) // of a *url.Error, which repeats the URL
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("answered %s", response.Status)
	}
	path := filepath.Join(dir, "download.tar.bz2")
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	body := &meter{
		from:   io.LimitReader(response.Body, maxArchive),
		report: b.report,
		now:    Progress{Step: "fetch valgrind", Total: max(0, response.ContentLength), Unit: "bytes"},
	}
	_, err = io.Copy(file, body)
	return path, errors.Join(err, file.Close())
}

// A meter is a reader that reports how much was read.
type meter struct {
	from     io.Reader
	report   func(Progress)
	now      Progress
	reported int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	m.now.Done += int64(n)
	if m.now.Done-m.reported >= reportBytes || err != nil {
		m.reported = m.now.Done
		m.report(m.now)
	}
	return n, err
}
