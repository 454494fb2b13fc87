package cleanenv_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// hostile is an environment with everything that must not reach a child, beside
// what may.
func hostile() []string {
	return []string{
		"HOME=/home/u", "PATH=/opt/go/bin:/usr/bin", "TMPDIR=/scratch",
		"https_proxy=http://proxy:1", "SSL_CERT_FILE=/certs", "SSH_AUTH_SOCK=/agent",
		"LD_LIBRARY_PATH=" + strings.Repeat("/long", 900), "LD_PRELOAD=/evil.so", "LONG=" + strings.Repeat("x", 4096),
		"GOFLAGS=-race", "GODEBUG=gctrace=1", "GOROOT=/home/u/go/pkg/mod/golang.org/toolchain@x",
		"GOTOOLCHAIN_INTERNAL_SWITCH_VERSION=go1.26.8", "GOTOOLCHAIN_INTERNAL_SWITCH_COUNT=1",
		"GOEXPERIMENT=jsonv2", "GOAMD64=v3", "GOARCH=arm64", "GOOS=plan9", "GOGC=1", "GOMEMLIMIT=1", "GOMAXPROCS=7",
		"GOCLOBBERDEADHASH=1", "GOSSAFUNC=f", "GOCOMPILEDEBUG=x", "GO_EXTLINK_ENABLED=1", "GOFIPS140=latest",
		"CGO_ENABLED=1", "CGO_CFLAGS=-O0", "CGO_LDFLAGS=-lx", "CC=evilcc", "CXX=evil++", "CFLAGS=-O9", "CPPFLAGS=-DX",
		"LDFLAGS=-s", "MAKEFLAGS=-n", "MAKELEVEL=1", "MFLAGS=-n", "CONFIG_SITE=/evil", "VALGRIND_OPTS=--tool=none",
		"VALGRIND_LIB=/evil", "MAGEFILE_VERBOSE=1", "MAGEFILE_GOCMD=evil", "TZ=Asia/Tokyo", "LANG=tr_TR.UTF-8",
		"LC_ALL=tr_TR.UTF-8", "POSIXLY_CORRECT=1", "GOCACHE=/from/environ", "GOENV=/my/goenv",
	}
}

func TestMeasuredIsLiteral(t *testing.T) {
	want := []string{
		"GODEBUG=asyncpreemptoff=1,adaptivestackstart=0,gcshrinkstackoff=1,gcstoptheworld=2," +
			"memprofilerate=0,updatemaxprocs=0,decoratemappings=0",
		"GOGC=off", "GOMAXPROCS=1", "HOME=/nonexistent", "LANG=C",
		"PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=/tmp/abc", "TZ=",
	}
	for _, pair := range hostile() {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	if got := cleanenv.Measured("/tmp/abc", nil); !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

// A setting that a Go release has dropped or renamed is ignored without a word.
func TestMeasuredSettingsExist(t *testing.T) {
	goTool, err := tool.Find("go", "")
	if err != nil {
		t.Fatal(err)
	}
	var goroot bytes.Buffer
	err = tool.Command{
		Path: goTool, Args: []string{"env", "GOROOT"}, Env: cleanenv.Query(os.Environ()), Stdout: &goroot,
	}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(goroot.String()), "src", "runtime", "runtime1.go"))
	if err != nil {
		t.Fatal(err)
	}
	settings, _ := strings.CutPrefix(cleanenv.Measured("", nil)[0], "GODEBUG=")
	for setting := range strings.SplitSeq(settings, ",") {
		name, _, _ := strings.Cut(setting, "=")
		if !bytes.Contains(source, []byte(`"`+name+`"`)) {
			t.Errorf("the run time has no setting %q", name)
		}
	}
}

func TestMeasuredPasses(t *testing.T) {
	got := cleanenv.Measured("/t", []string{"A=1=2", "GOGC=100", "EMPTY=", "GODEBUG=gcstoptheworld=0,x=1"})
	for _, want := range []string{"A=1=2", "GOGC=100", "EMPTY=", "TMPDIR=/t"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	// The run time lets the last of two settings win.
	if i := slices.IndexFunc(got, func(s string) bool { return strings.HasPrefix(s, "GODEBUG=") }); !strings.HasPrefix(got[i], "GODEBUG=asyncpreemptoff=1,") ||
		!strings.HasSuffix(got[i], ",decoratemappings=0,gcstoptheworld=0,x=1") {
		t.Errorf("got %q", got[i])
	}
}

// goenv is an answer of `go env -json`, hostile in the same way.
func goenv() map[string]string {
	return map[string]string{
		"GOCACHE": "/cache", "GOMODCACHE": "/mod", "GOPATH": "/gopath", "GOTOOLCHAIN": "auto", "GOWORK": "",
		"GOPROXY": "https://p,direct", "GOSUMDB": "sum", "GOPRIVATE": "corp/*", "GONOPROXY": "corp/*", "GONOSUMDB": "corp/*",
		"GOINSECURE": "", "GOAUTH": "netrc", "GOVCS": "", "GOFLAGS": "-race", "GOROOT": "/leaked", "CC": "evilcc",
		"CGO_CFLAGS": "-O0", "GOAMD64": "v3", "GOEXPERIMENT": "jsonv2", "CGO_ENABLED": "1", "GOENV": "/my/goenv",
		"GODEBUG": "x=1", "GOOS": "plan9",
	}
}

func TestBuild(t *testing.T) {
	want := []string{
		"CGO_ENABLED=0", "GOAMD64=v1", "GOAUTH=netrc", "GOCACHE=/cache", "GOENV=off", "GOFLAGS=-buildvcs=false",
		"GOMODCACHE=/mod", "GONOPROXY=corp/*", "GONOSUMDB=corp/*", "GOPATH=/gopath", "GOPRIVATE=corp/*",
		"GOPROXY=https://p,direct", "GOSUMDB=sum", "GOTOOLCHAIN=auto", "HOME=/home/u", "LC_ALL=C",
		"PATH=/opt/go/bin:/usr/bin", "SSH_AUTH_SOCK=/agent", "SSL_CERT_FILE=/certs", "TMPDIR=/scratch",
		"https_proxy=http://proxy:1",
	}
	before := goenv()
	if got := cleanenv.Build(hostile(), before, nil); !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if !maps.Equal(before, goenv()) {
		t.Error("the argument was changed")
	}
	got := cleanenv.Build(hostile(), goenv(), []string{"CGO_ENABLED=1", "CC=mycc", "GOFLAGS="})
	for _, want := range []string{"CGO_ENABLED=1", "CC=mycc", "GOFLAGS="} {
		if !slices.Contains(got, want) {
			t.Errorf("%q, passed on purpose, is missing", want)
		}
	}
}

func TestBuildOfHostileEqualsBuildOfPlain(t *testing.T) {
	plain := []string{
		"HOME=/home/u", "PATH=/opt/go/bin:/usr/bin", "TMPDIR=/scratch",
		"https_proxy=http://proxy:1", "SSL_CERT_FILE=/certs", "SSH_AUTH_SOCK=/agent",
	}
	if a, b := cleanenv.Build(hostile(), goenv(), nil), cleanenv.Build(plain, goenv(), nil); !slices.Equal(a, b) {
		t.Errorf("got\n%q\n%q", a, b)
	}
	if a, b := cleanenv.Tool(hostile()), cleanenv.Tool(plain); !slices.Equal(a, b) {
		t.Errorf("got\n%q\n%q", a, b)
	}
}

func TestQuery(t *testing.T) {
	want := []string{
		"GOCACHE=/from/environ", "GOENV=/my/goenv", "HOME=/home/u", "LC_ALL=C", "PATH=/opt/go/bin:/usr/bin",
		"SSL_CERT_FILE=/certs", "TMPDIR=/scratch", "https_proxy=http://proxy:1",
	}
	if got := cleanenv.Query(hostile()); !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestTool(t *testing.T) {
	want := []string{
		"HOME=/home/u", "LC_ALL=C", "PATH=/opt/go/bin:/usr/bin", "SSL_CERT_FILE=/certs", "TMPDIR=/elsewhere",
		"X=1", "https_proxy=http://proxy:1",
	}
	if got := cleanenv.Tool(hostile(), "X=1", "TMPDIR=/elsewhere"); !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		pass []string
		want string
	}{
		{nil, ""},
		{[]string{"A=", "B=x=y"}, ""},
		{[]string{"A", "=x", "B=\x00"}, `environment variable "A": want NAME=VALUE` + "\n" +
			`environment variable "=x": want NAME=VALUE` + "\n" +
			`environment variable "B=\x00": holds a zero byte`},
	} {
		got := ""
		if err := cleanenv.Check(test.pass); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: got %q, want %q", test.pass, got, test.want)
		}
	}
}
