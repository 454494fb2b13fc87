// Package startup has benchmarks of the server as a whole command: what it costs to
// start it.
package startup

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/perfpin/perfpin/tasks/cmdbench"
)

const server = "github.com/perfpin/perfpin/server/cmd/perfpin-serve"

func BenchmarkServer(b *testing.B) {
	b.Run("help", func(b *testing.B) {
		cmdbench.Run(b, cmdbench.Command{Package: server, Args: []string{"--help"}})
	})
	b.Run("serve_one", func(b *testing.B) {
		cmdbench.Run(b, cmdbench.Command{
			Package:  server,
			Args:     []string{"-addr=127.0.0.1:0", "-one-worker", "-serve-one", "."},
			Prepare:  writePage,
			Converse: requestPage,
		})
	})
}

const page = "<!doctype html><title>perfpin</title><p>one page\n"

func writePage(dir string) error {
	return os.WriteFile(filepath.Join(dir, "index.html"), []byte(page), 0o666)
}

// requestPage waits for the address that the server prints and requests the page.
func requestPage(output io.Reader) error {
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the server printed no line: %w", err)
	}
	_, address, found := strings.Cut(strings.TrimSpace(line), "http://")
	if !found {
		return fmt.Errorf("the server printed %q, want its address", line)
	}
	// A count under callgrind slows the server 50 times.
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	response, err := client.Get("http://" + address + "/")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || string(body) != page {
		return fmt.Errorf("the server answered %s with %q", response.Status, body)
	}
	return nil
}
