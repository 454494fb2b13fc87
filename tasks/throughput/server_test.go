package throughput

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/perfpin/perfpin/tasks/tool"
)

// TestAliveNoticesAnotherWorker plays a master that starts its worker again.
func TestAliveNoticesAnotherWorker(t *testing.T) {
	child, err := tool.Command{
		Path: "/bin/sh", Args: []string{"-c", "while :; do sleep 1000; done"}, Env: []string{"PATH=/usr/bin:/bin"},
	}.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &server{serverSpec: serverSpec{name: "x", forks: true}, child: child}
	for tries := 0; s.findWorker() != nil; tries++ {
		if tries == 1000 {
			t.Fatal("the worker does not appear")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := s.alive(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(s.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	err = s.alive()
	for tries := 0; err == nil && tries < 1000; tries++ {
		time.Sleep(10 * time.Millisecond)
		err = s.alive()
	}
	if err == nil {
		t.Error("another worker is taken for the first")
	}
	err = s.stop()
	if ended(err) != nil {
		t.Errorf("the signal that was sent is told: %v", err)
	}
	if err := s.alive(); err == nil {
		t.Error("a server that has ended is alive")
	}
}

func TestNginxConfig(t *testing.T) {
	n := nginx{temporary: []string{"proxy", "scgi"}}
	site := nginxSite{dir: `/d/"x"`, root: "/site", addr: "127.0.0.1:1", connections: 100}
	plain := n.config(site)
	site.cache, site.account = true, "u g"
	cached := n.config(site)
	for _, want := range []string{
		"worker_processes 1;", "access_log off;", "sendfile on;", "tcp_nopush on;", "gzip_static on;",
		"keepalive_requests 1000000000;", "worker_connections 712;", `pid "/d/\"x\"/nginx.pid";`,
		`proxy_temp_path "/d/\"x\"/temp/proxy";`, "scgi_temp_path ", "listen 127.0.0.1:1; root \"/site\";",
	} {
		if !strings.Contains(plain, want) || !strings.Contains(cached, want) {
			t.Errorf("%q is missing in\n%s", want, plain)
		}
	}
	for _, want := range []string{"open_file_cache max=1000;", "user u g;"} {
		if strings.Contains(plain, want) || !strings.Contains(cached, want) {
			t.Errorf("%q is not in one alone of\n%s\n%s", want, plain, cached)
		}
	}
	if err := checkNginxPath("/a$b"); err == nil {
		t.Error("a path with a variable: no error")
	}
}
