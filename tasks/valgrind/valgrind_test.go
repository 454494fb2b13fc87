package valgrind

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const goodArchive = "valgrind-9.9.9.tar.bz2"

func TestBuildOnceThenReuse(t *testing.T) {
	w := newWorld(t, goodArchive)
	first, err := w.ensure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(w.dir, "valgrind")
	want := Valgrind{
		Path:    filepath.Join(tree, "bin/valgrind"),
		Version: "9.9.9", Lib: filepath.Join(tree, "libexec/valgrind"),
		Built: true, FixedSeed: true,
	}
	if first != want {
		t.Errorf("got %+v, want %+v", first, want)
	}
	wantSteps := []string{
		"unpack valgrind 9.9.9", "configure valgrind 9.9.9", "compile valgrind 9.9.9",
		"compile valgrind 9.9.9, VEX", "compile valgrind 9.9.9, coregrind",
		"compile valgrind 9.9.9, callgrind", "install valgrind 9.9.9",
	}
	if !slices.Equal(w.steps, wantSteps) {
		t.Errorf("got steps %q, want %q", w.steps, wantSteps)
	}
	log, err := os.ReadFile(w.log())
	if err != nil || !strings.Contains(string(log), "configure --enable-only64bit") {
		t.Errorf("the log is %q, %v", log, err)
	}
	// Nothing that a build needs is there any more.
	t.Setenv("PATH", "")
	again, err := w.ensure(t.Context())
	if err != nil || again != first || w.makes(t) != 4 {
		t.Errorf("the second time: %+v, %v, %d calls of make", again, err, w.makes(t))
	}
}

func TestChangedRecipeRebuilds(t *testing.T) {
	w := newWorld(t, goodArchive)
	v, err := w.ensure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() error{
		"another recipe": func() error {
			return os.WriteFile(filepath.Join(w.final(), recipeFile), []byte("valgrind 1\n"), 0o666)
		},
		"a missing part": func() error { return os.Remove(v.Path) },
	} {
		before := w.makes(t)
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		again, err := w.ensure(t.Context())
		if err != nil || again != v || w.makes(t) != before+4 {
			t.Errorf("%s: %+v, %v", name, again, err)
		}
		if _, found := w.installed(); !found {
			t.Errorf("%s: nothing is installed", name)
		}
	}
}

func TestBuildFailures(t *testing.T) {
	for name, test := range map[string]struct {
		archive string
		spoil   func(*testing.T, *world)
		want    []string
	}{
		"wrong checksum": {goodArchive, func(_ *testing.T, w *world) {
			w.source = filepath.Join(filepath.Dir(w.source), "no_anchor.tar.bz2")
		}, []string{"sha256: got ", ", want ", "(9.9.9)", SourceVariable}},
		"no such file": {goodArchive, func(_ *testing.T, w *world) { w.source = "/nonexistent/x" },
			[]string{SourceVariable, "no such file"}},
		"no compiler, no make": {goodArchive, func(t *testing.T, w *world) {
			remove(t, filepath.Join(w.bin, "gcc"))
			remove(t, filepath.Join(w.bin, "make"))
		}, []string{"gcc: cannot be found", "make: cannot be found", "\nhint: apt-get install gcc libc6-dev make"}},
		"a compiler that fails": {goodArchive, func(t *testing.T, w *world) {
			w.program(t, "gcc", "#!/bin/sh\necho no crt1.o; exit 1\n")
		}, []string{"no crt1.o\n", "exit status 77 (log: ", "\nhint: apt-get install gcc libc6-dev"}},
		"make fails": {goodArchive, func(t *testing.T, w *world) { w.set(t, "mode", "fail") },
			[]string{"a.c:1: error: this is the cause\n", "make: ", "exit status 2 (log: ", "valgrind-build.log)"}},
		"a result that does not run": {goodArchive, func(t *testing.T, w *world) { w.set(t, "mode", "broken") },
			[]string{"exit status 1", "\nvalgrind: build: what was built does not work"}},
		"no space": {
			goodArchive, func(_ *testing.T, w *world) { w.minFree = 1e18 },
			[]string{"tools: disk space: ", " MB are free, want 1000000000000 MB"},
		},
		"no anchor": {"no_anchor.tar.bz2", nil,
			[]string{"valgrind 9.9.9: coregrind/m_initimg/initimg-linux.c", `VG_(memcpy)(strtab, orig_auxv->u.a_ptr, 16);`, "0 times, want once"}},
		"two anchors": {"two_anchors.tar.bz2", nil, []string{"2 times, want once"}},
		"a file where the folder should be": {goodArchive, func(t *testing.T, w *world) {
			w.dir = filepath.Join(w.bin, "mode", "tools")
		}, []string{"not a directory"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, test.archive)
			if test.spoil != nil {
				test.spoil(t, w)
			}
			v, err := w.ensure(t.Context())
			if err == nil {
				t.Fatalf("got %+v", v)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is missing in:\n%v", want, err)
				}
			}
			if _, found := w.installed(); found {
				t.Error("something is installed")
			}
			if !strings.Contains(err.Error(), "not a directory") {
				w.requireNothingInstalled(t)
			}
		})
	}
}

func TestInterruptedBuildIsNotFinished(t *testing.T) {
	w := newWorld(t, goodArchive)
	w.set(t, "mode", "hang")
	// A valgrind on PATH is no answer to an interrupt.
	w.program(t, "valgrind", "#!/bin/sh\necho valgrind-3.22.0\n")
	w.source = ""
	server := serve(t, goodArchive)
	w.upstream = server.URL + "/"
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(w.bin, "hangs")); err == nil {
				cancel()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if _, err := w.ensure(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	w.requireNothingInstalled(t)

	// What a kill leaves behind is removed by the next build.
	leftover := filepath.Join(w.dir, strings.Replace(workPattern, "*", "1", 1))
	if err := os.MkdirAll(filepath.Join(leftover, "source"), 0o777); err != nil {
		t.Fatal(err)
	}
	w.set(t, "mode", "ok")
	if v, err := w.ensure(t.Context()); err != nil || !v.Built {
		t.Errorf("afterwards: got %+v, %v", v, err)
	}
	if _, err := os.Stat(leftover); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the leftover: %v", err)
	}
}

func TestTwoAtOnceBuildOnce(t *testing.T) {
	w := newWorld(t, goodArchive)
	w.set(t, "mode", "slow")
	results := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := w.ensure(context.Background())
			results <- err
		}()
	}
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if n := w.makes(t); n != 4 {
		t.Errorf("%d calls of make, want 4", n)
	}
	if !slices.Contains(w.steps, "wait for another build of valgrind") {
		t.Errorf("nobody waited: %q", w.steps)
	}
}

func TestValgrindFromPath(t *testing.T) {
	for version, want := range map[string]string{
		"valgrind-3.19.0":     "3.19.0",
		"valgrind-3.22.0.GIT": "3.22.0.GIT",
		"valgrind-4.0.0":      "4.0.0",
		"valgrind-3.18.1":     "",
		"valgrind-3":          "",
		"something else":      "",
	} {
		w := newWorld(t, goodArchive)
		remove(t, filepath.Join(w.bin, "make"))
		w.source = ""
		w.program(t, "valgrind", "#!/bin/sh\necho "+version+"\n")
		v, err := w.ensure(t.Context())
		switch {
		case want == "":
			if err == nil || !strings.Contains(err.Error(), "\nhint: apt-get install make") {
				t.Errorf("%s: got %+v, %v", version, v, err)
			}
		case err != nil, v.Version != want, v.Built, v.FixedSeed, v.Env() != nil, v.Path != filepath.Join(w.bin, "valgrind"):
			t.Errorf("%s: got %+v, %v", version, v, err)
		case v.Why == nil || !strings.Contains(v.Why.Error(), "make: cannot be found"):
			t.Errorf("%s: the reason is %v", version, v.Why)
		}
	}
}

func TestNamedSourceIsNotPassedOver(t *testing.T) {
	w := newWorld(t, goodArchive)
	w.source = "/nonexistent/x"
	w.program(t, "valgrind", "#!/bin/sh\necho valgrind-3.22.0\n")
	if v, err := w.ensure(t.Context()); err == nil {
		t.Errorf("got %+v", v)
	}
}

// serve serves one fixture as valgrind-9.9.9.tar.bz2.
func serve(t *testing.T, archive string) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/"+goodArchive {
			http.NotFound(w, r)
			return
		}
		http.ServeFile(w, r, filepath.Join("testdata", archive))
	}))
	t.Cleanup(server.Close)
	return server
}

func TestSources(t *testing.T) {
	for name, test := range map[string]struct {
		upstream, named, mode string
		want                  []string // of the error; nil for success
	}{
		"upstream":                            {upstream: goodArchive, mode: "ok"},
		"a URL named":                         {named: goodArchive, mode: "ok"},
		"debian":                              {mode: "ok"},
		"debian, as upstream has other bytes": {upstream: "no_anchor.tar.bz2", mode: "ok"},
		"a URL with other bytes": {named: "no_anchor.tar.bz2", mode: "ok",
			want: []string{SourceVariable, "sha256: got "}},
		"none": {mode: "apt-fails", want: []string{
			"connection refused", "debian source package: suite suite, mirror 1 of 1: apt-get update: Failed to fetch",
			"\nhint: " + SourceVariable + "=/path/to/valgrind-9.9.9.tar.bz2 go tool mage bootstrap",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, goodArchive)
			w.program(t, "apt-get", fakeApt)
			w.set(t, "archive", w.source)
			w.set(t, "mode", test.mode)
			w.source = ""
			if test.upstream != "" {
				w.upstream = serve(t, test.upstream).URL + "/"
			}
			if test.named != "" {
				w.source = serve(t, test.named).URL + "/" + goodArchive
			}
			v, err := w.ensure(t.Context())
			if (err == nil) != (test.want == nil) || err == nil && !v.Built {
				t.Fatalf("got %+v, %v", v, err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is missing in:\n%v", want, err)
				}
			}
			log, readErr := os.ReadFile(w.log())
			if readErr != nil && !errors.Is(readErr, fs.ErrNotExist) {
				t.Fatal(readErr)
			}
			if strings.Contains(string(log), "mirror.example") || err != nil && strings.Contains(err.Error(), "mirror.example") {
				t.Errorf("a mirror is named: %v\n%s", err, log)
			}
		})
	}
}
