package cleanenv

import (
	"maps"
)

// machine names what any program may need to find its files and the network.
func machine() []string {
	return []string{
		"HOME", "PATH", "TMPDIR",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "FTP_PROXY",
		"http_proxy", "https_proxy", "no_proxy", "all_proxy", "ftp_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NETRC",
	}
}

// goSettings names what tells the go command where its caches are, from where and
// how it may fetch modules, and which toolchain and workspace it uses. None enters
// a build key by its value.
func goSettings() []string {
	return []string{
		"GOCACHE", "GOMODCACHE", "GOPATH", "GOTOOLCHAIN", "GOWORK",
		"GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOPROXY", "GONOSUMDB",
		"GOINSECURE", "GOAUTH", "GOVCS",
	}
}

// Query returns the environment in which to ask the go command for its settings
// with `go env -json`, the answer being what [Build] wants. The user's own
// settings count here, those of `go env -w` too, but a GOROOT does not: under a
// switched toolchain it is the one that the switch has left behind.
func Query(environ []string) []string {
	from := parse(environ)
	env := environment{"LC_ALL": "C"}
	env.keep(from, machine()...)
	env.keep(from, goSettings()...)
	// Where the file of `go env -w` is.
	env.keep(from, "GOENV", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
	return env.list()
}

// Build returns the environment of the go command for a build whose product is
// measured. environ is the surrounding environment, goenv the answer of
// `go env -json` run under [Query] in the module's folder, pass what the user hands
// on by purpose, as NAME=VALUE; it wins.
//
// Whatever enters the go command's build keys has the same value whoever starts
// the build, so that `go tool mage`, mage, and a compiled magefile use each other's
// build cache. In Go 1.26 these variables enter the keys (buildActionID and
// printLinkerConfig in cmd/go/internal/work/exec.go, setBuildInfo in
// cmd/go/internal/load/pkg.go):
//
//   - every package: GOOS, GOARCH, GOAMD64 and the like, GOEXPERIMENT; the flags in
//     GOFLAGS that reach the compiler, as -gcflags, -tags, -trimpath; the compiler's
//     own version, so GOROOT, PATH and GOTOOLCHAIN by what they lead to;
//     GOCLOBBERDEADHASH, GOSSAFUNC, GOSSADIR, GOCOMPILEDEBUG;
//   - packages with cgo: CC, CXX, FC, CGO_CFLAGS, CGO_CPPFLAGS, CGO_CXXFLAGS,
//     CGO_FFLAGS, CGO_LDFLAGS, and the version of the compiler found on PATH;
//   - programs, by the build information in them: CGO_ENABLED, GOFIPS140, and the
//     CGO flags above again unless -trimpath is given; with -buildvcs the commit;
//   - linking: GOROOT unless -trimpath is given, and GO_EXTLINK_ENABLED.
func Build(environ []string, goenv map[string]string, pass []string) []string {
	env := environment{
		// `go env -w` is inherited like a variable; what is wanted of it is in goenv.
		"GOENV": "off",
		// An empty value counts as unset and would let GOROOT/go.env speak. Without
		// this flag each commit changes the build key of every program.
		"GOFLAGS": "-buildvcs=false",
		// A vendor may ship another default in GOROOT/go.env.
		"GOAMD64": "v1",
		// The default follows whether a C compiler is on PATH, and with it whether
		// package net, and so the product, is linked with the host's C library.
		"CGO_ENABLED": "0",
		// The messages of C compilers, which are shown, in one language.
		"LC_ALL": "C",
	}
	env.keep(parse(environ), machine()...)
	// A module that is fetched over SSH.
	env.keep(parse(environ), "SSH_AUTH_SOCK")
	env.keep(goenv, goSettings()...)
	maps.Copy(env, parse(pass))
	return env.list()
}

// Tool returns the environment of any other program, such as configure, make and
// apt-get: what it needs to find its files and the network. So nothing like CC,
// CFLAGS, MAKEFLAGS, LD_PRELOAD or VALGRIND_OPTS changes what it does. The pairs
// NAME=VALUE of set win.
func Tool(environ []string, set ...string) []string {
	from := parse(environ)
	env := environment{"LC_ALL": "C"}
	env.keep(from, machine()...)
	// The machine's own configuration of apt may be elsewhere.
	env.keep(from, "APT_CONFIG")
	// Where a program that was built for coverage says what it reached.
	env.keep(from, "GOCOVERDIR")
	maps.Copy(env, parse(set))
	return env.list()
}
