package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/perfpin/perfpin/server"
	"github.com/perfpin/perfpin/server/core"
)

// command is what the command line says.
type command struct {
	root, addr string

	cacheBytes, cacheFileBytes int64
	revalidate                 time.Duration
	limits                     server.Limits

	index, fallback         string
	listing, dotfiles       bool
	noSidecars, sidecarOnly bool
	liveReload              bool
	immutable               *regexp.Regexp
	headers                 []core.HeaderRule
	errorPages              map[int]string
	accessLog               string
	frontEnd                server.FrontEnd
	oneWorker, serveOne     bool
	version                 bool
}

var errHelp = errors.New("help was asked for")

const usage = `usage: perfpin-serve [flags] [directory]

Serves the files below a directory (default: the current one) over HTTP.

`

// parse reads the command line. Help goes to w; errHelp then says that nothing
// else is to be done.
func parse(args []string, w io.Writer) (*command, error) {
	c := &command{root: ".", limits: server.DefaultLimits(), frontEnd: server.DefaultFrontEnd, errorPages: map[int]string{}}
	flags := flag.NewFlagSet("perfpin-serve", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	c.define(flags)
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(w, usage)
		flags.SetOutput(w)
		flags.PrintDefaults()
		return nil, errHelp
	}
	if err != nil {
		return nil, err
	}
	switch flags.NArg() {
	case 0:
	case 1:
		c.root = flags.Arg(0)
	default:
		return nil, fmt.Errorf("arguments: got %d directories, want one", flags.NArg())
	}
	if _, _, err := net.SplitHostPort(c.addr); err != nil {
		return nil, fmt.Errorf("flag -addr: %w", err)
	}
	if c.cacheBytes < 0 || c.cacheFileBytes < 0 || c.revalidate < 0 {
		return nil, fmt.Errorf("flags -cache, -cache-file, -revalidate: got %d, %d, %v, want none below 0",
			c.cacheBytes, c.cacheFileBytes, c.revalidate)
	}
	return c, nil
}

func (c *command) define(f *flag.FlagSet) {
	d := core.Defaults()
	f.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on `HOST:PORT`; port 0 takes a free one")
	f.Int64Var(&c.cacheBytes, "cache", d.CacheBytes, "hold up to `BYTES` of content in memory; 0 turns the cache off")
	f.Int64Var(&c.cacheFileBytes, "cache-file", d.CacheFileBytes, "hold files of up to `BYTES` each")
	f.DurationVar(&c.revalidate, "revalidate", d.Revalidate, "look at a cached file again after `DURATION`; 0 at every request")
	f.StringVar(&c.index, "index", d.Index, "the `FILE` that answers for a directory")
	f.StringVar(&c.fallback, "fallback", "", "the `FILE` of a single-page application that answers for missing pages")
	f.BoolVar(&c.listing, "listing", false, "list directories without index")
	f.BoolVar(&c.dotfiles, "dotfiles", false, "serve names that begin with a dot")
	f.BoolVar(&c.noSidecars, "no-sidecars", false, "do not serve FILE.br, FILE.zst, FILE.gz for FILE")
	f.BoolVar(&c.sidecarOnly, "sidecar-only", false, "serve sidecars whose FILE does not exist, too")
	f.BoolVar(&c.liveReload, "live-reload", false, "reload pages in browsers when a file changes")
	f.Func("immutable", "paths that match `REGEXP` never change: clients keep them for a year", c.setImmutable)
	f.Func("header", "add a field to matching paths, `'PATTERN NAME: VALUE'`; may be repeated", c.addHeader)
	f.Func("error-page", "send a file's content with a status, `STATUS=FILE`; may be repeated", c.addErrorPage)
	f.StringVar(&c.accessLog, "access-log", "", "append a line for each request to `FILE`; - is standard error")
	f.IntVar(&c.limits.HeaderBytes, "max-header", c.limits.HeaderBytes, "answer 431 to request heads above `BYTES`")
	f.IntVar(&c.limits.Connections, "max-connections", c.limits.Connections, "serve `N` connections at once")
	f.DurationVar(&c.limits.ReadTimeout, "read-timeout", c.limits.ReadTimeout, "how long a request may take to arrive, `DURATION`")
	f.DurationVar(&c.limits.WriteTimeout, "write-timeout", c.limits.WriteTimeout, "how long a client may take nothing of an answer, `DURATION`")
	f.DurationVar(&c.limits.IdleTimeout, "idle-timeout", c.limits.IdleTimeout, "keep connections without a request for `DURATION`")
	f.Func("front-end", "read requests with `NAME`: event-loop (the default) or fasthttp", c.setFrontEnd)
	f.BoolVar(&c.oneWorker, "one-worker", false, "use one processor")
	f.BoolVar(&c.serveOne, "serve-one", false, "answer one request, then exit")
	f.BoolVar(&c.version, "version", false, "print the version and exit")
}

func (c *command) setImmutable(s string) (err error) {
	c.immutable, err = regexp.Compile(s)
	return err
}

func (c *command) setFrontEnd(s string) error {
	switch s {
	case "fasthttp":
		c.frontEnd = server.FastHTTP
	case "event-loop":
		c.frontEnd = server.EventLoop
	default:
		return errors.New("want fasthttp or event-loop")
	}
	return nil
}

func (c *command) addHeader(s string) error {
	pattern, field, ok := strings.Cut(s, " ")
	name, value, colon := strings.Cut(field, ":")
	if !ok || !colon {
		return errors.New("want 'PATTERN NAME: VALUE'")
	}
	c.headers = append(c.headers, core.HeaderRule{
		Pattern: pattern,
		Fields:  []core.HeaderField{{Name: name, Value: strings.TrimSpace(value)}},
	})
	return nil
}

func (c *command) addErrorPage(s string) error {
	status, file, ok := strings.Cut(s, "=")
	n, err := strconv.Atoi(status)
	if !ok || err != nil {
		return errors.New("want STATUS=FILE")
	}
	c.errorPages[n] = file
	return nil
}

// options turns the flags into the server's.
func (c *command) options() []server.Option {
	options := []server.Option{
		server.WithCache(c.cacheBytes, c.cacheFileBytes),
		server.WithRevalidate(c.revalidate),
		server.WithIndex(c.index),
		server.WithFallback(c.fallback),
		server.WithLimits(c.limits),
		server.WithFrontEnd(c.frontEnd),
	}
	switches := []struct {
		on     bool
		option func() server.Option
	}{
		{c.listing, server.WithListing},
		{c.dotfiles, server.WithDotfiles},
		{c.noSidecars, server.WithoutSidecars},
		{c.sidecarOnly, server.WithSidecarOnly},
		{c.liveReload, server.WithLiveReload},
	}
	for _, s := range switches {
		if s.on {
			options = append(options, s.option())
		}
	}
	if c.immutable != nil {
		options = append(options, server.WithImmutable(c.immutable.MatchString))
	}
	for _, rule := range c.headers {
		options = append(options, server.WithHeaders(rule.Pattern, rule.Fields...))
	}
	for status, file := range c.errorPages {
		options = append(options, server.WithErrorPage(status, file))
	}
	return options
}

// openAccessLog opens the log, or gives nil where none is wanted.
func (c *command) openAccessLog(stderr io.Writer) (io.WriteCloser, error) {
	switch c.accessLog {
	case "":
		return nil, nil
	case "-":
		return keepOpen{stderr}, nil
	}
	f, err := os.OpenFile(c.accessLog, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("access log: %w", err)
	}
	return f, nil
}

// keepOpen is a writer whose Close leaves it open.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }
