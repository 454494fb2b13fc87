// Command perfpin-serve serves a directory over HTTP.
//
// Usage:
//
//	perfpin-serve [flags] [directory]
//
// It exits 0 after SIGINT or SIGTERM, once the answers under way are sent, 1
// where it could not start or had to stop, 2 for a wrong flag.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/perfpin/perfpin/server"
)

func main() {
	// The signals are asked for first, so that one that comes early is not lost.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// grace is how long answers under way may take after a signal.
const grace = 10 * time.Second

// run is the command: it gives its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stderr)
	switch {
	case err == errHelp:
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "perfpin-serve: %v\nhint: perfpin-serve -help\n", err)
		return 2
	case c.version:
		fmt.Fprintln(stdout, version())
		return 0
	}
	if err := serve(ctx, c, stderr); err != nil {
		fmt.Fprintf(stderr, "perfpin-serve: %v\n", err)
		return 1
	}
	return 0
}

// serve serves until ctx is done.
func serve(ctx context.Context, c *command, stderr io.Writer) error {
	if c.oneWorker {
		runtime.GOMAXPROCS(1)
	}
	// The cache is live memory: by default the collector would let the heap
	// grow to twice its size before it runs. Content holds no pointers and a hit
	// makes no garbage, so that running earlier costs next to nothing.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25)
	}

	options := append(c.options(), server.WithErrorLog(func(err error) {
		fmt.Fprintf(stderr, "perfpin-serve: %v\n", err)
	}))
	log, err := c.openAccessLog(stderr)
	if err != nil {
		return err
	}
	if log != nil {
		defer log.Close()
		options = append(options, server.WithAccessLog(log))
	}
	s, err := server.New(c.root, options...)
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := net.Listen("tcp", c.addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "perfpin-serve: serving %q on http://%s\n", c.root, l.Addr())
	if c.serveOne {
		return s.ServeOne(l)
	}
	return until(ctx, s, l)
}

// until serves l, and shuts down once ctx is done.
func until(ctx context.Context, s *server.Server, l net.Listener) error {
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	limited, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := s.Shutdown(limited); err != nil {
		return fmt.Errorf("shutdown: %w", err)
	}
	return <-served
}

// version is that of the module and its toolchain.
func version() string {
	module := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		module = info.Main.Version
	}
	return fmt.Sprintf("perfpin-serve %s %s %s/%s", module, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
