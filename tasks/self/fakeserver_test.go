package self

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
)

// A conduct is how a fake server behaves. begin runs before it listens, with the
// folder of the harness; answer answers in place of it, and returns false to let the
// right answer be given.
type conduct struct {
	begin  func(folder string)
	answer func(w http.ResponseWriter) bool
	// after is how many requests are answered right first.
	after int64
}

// later is above what is asked to check a server before it is under load, and
// below what it is asked in any window.
const later = 100

func conducts() map[string]conduct {
	status := func(code int) func(http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool {
			w.WriteHeader(code)
			return true
		}
	}
	return map[string]conduct{
		"good":           {},
		"404":            {answer: status(http.StatusNotFound)},
		"404-later":      {answer: status(http.StatusNotFound), after: later},
		"304-later":      {answer: status(http.StatusNotModified), after: later},
		"short-later":    {answer: answerShort, after: later},
		"close":          {answer: func(w http.ResponseWriter) bool { w.Header().Set("Connection", "close"); return false }},
		"hang-up-later":  {answer: func(http.ResponseWriter) bool { panic(http.ErrAbortHandler) }, after: later},
		"idle":           {answer: func(http.ResponseWriter) bool { select {} }},
		"idle-later":     {answer: func(http.ResponseWriter) bool { select {} }, after: later},
		"crash-later":    {answer: crash, after: later},
		"elsewhere":      {begin: forkOnce},
		"port-taken":     {begin: findTakenOnce},
		"ends":           {begin: func(string) { os.Exit(0) }},
		"blocks-results": {begin: blockResults},
	}
}

// answerShort sends less than it says.
func answerShort(w http.ResponseWriter) bool {
	w.Header().Set("Content-Length", "1024")
	_, _ = w.Write(make([]byte, 1000))
	panic(http.ErrAbortHandler)
}

func crash(http.ResponseWriter) bool {
	fmt.Fprintln(os.Stderr, "panic: out of cheese")
	os.Exit(3)
	return true
}

// forkOnce leaves the work to a process of its own.
func forkOnce(string) {
	const variable = "PERFPIN_TEST_FORKED"
	if os.Getenv(variable) != "" {
		return
	}
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), variable+"=1")
	_ = cmd.Run()
	os.Exit(0)
}

// findTakenOnce behaves as if another program had taken the port first.
func findTakenOnce(folder string) {
	marker := filepath.Join(folder, "taken")
	if _, err := os.Stat(marker); errors.Is(err, os.ErrNotExist) {
		_ = os.WriteFile(marker, nil, 0o644)
		fmt.Fprintln(os.Stderr, "listen tcp:", syscall.EADDRINUSE)
		os.Exit(1)
	}
}

// blockResults makes it impossible to write results.json.
func blockResults(folder string) {
	_ = os.MkdirAll(filepath.Join(folder, "results.json", "full"), 0o755)
}

// serveFake is a command that takes the flags of perfpin-serve.
func serveFake(c conduct) {
	addr := flag.String("addr", "", "")
	flag.Bool("one-worker", false, "")
	flag.String("cache", "", "")
	version := flag.Bool("version", false, "")
	flag.Parse()
	if *version {
		fmt.Println("perfpin-serve of a test")
		return
	}
	if !flag.Lookup("one-worker").Value.(flag.Getter).Get().(bool) || runtime.GOMAXPROCS(0) != 1 {
		fmt.Fprintln(os.Stderr, "want one worker")
		os.Exit(1)
	}
	site := flag.Arg(0)
	if c.begin != nil {
		c.begin(filepath.Dir(site))
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	files := http.FileServer(http.Dir(site))
	var asked atomic.Int64
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := asked.Add(1); n == later {
			_ = os.WriteFile(filepath.Join(filepath.Dir(site), "busy"), nil, 0o644)
		}
		if c.answer != nil && asked.Load() > c.after && c.answer(w) {
			return
		}
		files.ServeHTTP(w, r)
	}))
}
