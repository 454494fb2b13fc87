package throughput

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/perfpin/perfpin/tasks/tool"
)

// nginxKeepalive is above what any window asks for on one connection: nginx closes
// connections after 1000 requests, and the other server does not.
const nginxKeepalive = 1_000_000_000

// An nginx is the program, and what of its modules matters.
type nginx struct {
	path, version string
	// temporary are the modules that want a folder of their own at every start.
	temporary []string
}

func findNginx(ctx context.Context) (nginx, error) {
	path, err := tool.Find("nginx", "apt-get install nginx-light")
	if err != nil {
		return nginx{}, err
	}
	line, err := tool.Version(ctx, path, "-v")
	if err != nil {
		return nginx{}, err
	}
	version, found := strings.CutPrefix(line, "nginx version: ")
	if !found {
		return nginx{}, fmt.Errorf("%s: -v: got %q, want the version of nginx", path, line)
	}
	options, err := nginxOptions(ctx, path)
	if err != nil {
		return nginx{}, err
	}
	if !strings.Contains(options, "--with-http_gzip_static_module") {
		return nginx{}, fmt.Errorf("%s: is built without gzip_static\nhint: apt-get install nginx-light", path)
	}
	n := nginx{path: path, version: version}
	for _, module := range []string{"proxy", "fastcgi", "uwsgi", "scgi"} {
		if !strings.Contains(options, "--without-http_"+module+"_module") {
			n.temporary = append(n.temporary, module)
		}
	}
	return n, nil
}

// nginxOptions returns the line of -V with what nginx was configured with.
func nginxOptions(ctx context.Context, path string) (string, error) {
	var options string
	err := tool.Command{Path: path, Args: []string{"-V"}, Timeout: loadGrace, Line: func(line string) {
		if strings.HasPrefix(line, "configure arguments:") {
			options = line
		}
	}}.Run(ctx)
	return options, err
}

// spec is for one worker that serves root, started below dir.
func (n nginx) spec(name, dir, root string, connections int, cache bool) serverSpec {
	return serverSpec{
		name: name, path: n.path, forks: true, log: filepath.Join(dir, "log"),
		args: func(addr string) ([]string, error) {
			if err := os.MkdirAll(filepath.Join(dir, "temp"), 0o755); err != nil {
				return nil, err
			}
			account, err := runAs()
			if err != nil {
				return nil, err
			}
			config := n.config(nginxSite{dir, root, addr, account, connections, cache})
			path := filepath.Join(dir, "nginx.conf")
			if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
				return nil, err
			}
			return []string{"-p", dir + "/", "-c", path}, nil
		},
	}
}

// runAs returns the account that a worker has to run under when nginx is started by
// the superuser, "user group", or "" for any other: then it runs as that one. The
// account that nginx would choose cannot read below every home directory.
func runAs() (string, error) {
	if os.Getuid() != 0 {
		return "", nil
	}
	me, err := user.Current()
	if err != nil {
		return "", err
	}
	group, err := user.LookupGroupId(me.Gid)
	if err != nil {
		return "", err
	}
	return me.Username + " " + group.Name, nil
}

type nginxSite struct {
	dir, root, addr, account string
	connections              int
	cache                    bool
}

// config is nginx as it comes (https://nginx.org/en/docs/dirindex.html has the
// defaults), with sendfile and tcp_nopush on as in the configuration that is
// installed with it.
func (n nginx) config(s nginxSite) string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("daemon off;")
	line("worker_processes 1;")
	if s.account != "" {
		line("user %s;", s.account)
	}
	line("error_log stderr error;")
	line("pid %s;", quoteNginx(filepath.Join(s.dir, "nginx.pid")))
	// Each connection takes one, and so do the socket and open files.
	line("events { worker_connections %d; }", 2*s.connections+512)
	line("http {")
	line("  access_log off;")
	line("  sendfile on;")
	line("  tcp_nopush on;")
	line("  keepalive_requests %d;", nginxKeepalive)
	line("  gzip_static on;")
	line("  types { text/html html; text/plain txt; }")
	if s.cache {
		// How long a file may be out of date is left at its default, a minute.
		line("  open_file_cache max=1000;")
	}
	line("  client_body_temp_path %s;", quoteNginx(filepath.Join(s.dir, "temp", "body")))
	for _, module := range n.temporary {
		line("  %s_temp_path %s;", module, quoteNginx(filepath.Join(s.dir, "temp", module)))
	}
	line("  server { listen %s; root %s; }", s.addr, quoteNginx(s.root))
	line("}")
	return out.String()
}

// checkNginxPath refuses paths that a configuration cannot hold: quotes do not keep
// nginx from reading $ as a variable.
func checkNginxPath(path string) error {
	if strings.ContainsAny(path, "$\n") {
		return errors.New(path + ": nginx cannot be told a path with $ or a line feed in it")
	}
	return nil
}

func quoteNginx(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}
