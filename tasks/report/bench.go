package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/perfpin/perfpin/tasks/gate"
)

// Host is the configuration lines of the Go benchmark format.
type Host struct {
	GOOS, GOARCH string
	// Module is the module's path, which the keys of the benches leave out.
	Module string
}

// BenchFormat writes what was counted in the Go benchmark format
// (golang.org/design/14313-benchmark-format), which benchstat reads: one line a
// bench, and one for each run where runs disagree. The units are marked exact,
// so that benchstat tells of values that vary.
func BenchFormat(w io.Writer, verdicts []gate.Verdict, host Host) error {
	var out strings.Builder
	fmt.Fprintf(&out, "goos: %s\ngoarch: %s\n", host.GOOS, host.GOARCH)
	for _, unit := range []string{"instructions/op", "allocs/op", "B/op"} {
		fmt.Fprintf(&out, "Unit %s better=lower assume=exact\n", unit)
	}
	last := ""
	for i := range verdicts {
		v := &verdicts[i]
		if _, _, _, ok := v.PerOperation(); !ok {
			continue
		}
		pkg, name := splitKey(v.Bench)
		pkg = strings.TrimSuffix(host.Module+"/"+pkg, "/")
		if pkg != last {
			fmt.Fprintf(&out, "\npkg: %s\n", oneWord(pkg))
			last = pkg
		}
		writeBench(&out, v, name)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func writeBench(out *strings.Builder, v *gate.Verdict, name string) {
	totals := []int64{v.Count.Total}
	if v.Varies() {
		totals = v.Count.Runs
	}
	for _, total := range totals {
		run := *v.Count
		run.Total = total
		one := gate.Verdict{Count: &run}
		ir, allocs, bytes, _ := one.PerOperation()
		fmt.Fprintf(out, "Benchmark%s\t%d\t%s instructions/op\t%s allocs/op\t%s B/op\n",
			oneWord(name), run.Iters, ir, allocs, bytes)
	}
}

// splitKey splits "path/of/package.Name/sub" into the package's path and the
// name. Both may hold dots and slashes: the name starts behind the first dot
// that an identifier follows up to the next slash, and Go names no benchmark
// with a small first letter (cmd/go, "Testing functions").
func splitKey(key string) (pkg, name string) {
	start := 0
	for _, segment := range strings.SplitAfter(key, "/") {
		dot := strings.LastIndexByte(segment, '.')
		rest := strings.TrimSuffix(segment[dot+1:], "/")
		if dot >= 0 && isBenchName(rest) {
			return key[:start+dot], key[start+dot+1:]
		}
		start += len(segment)
	}
	return "", key
}

func isBenchName(name string) bool {
	for i, r := range name {
		if i == 0 && unicode.IsLower(r) || r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// oneWord makes a name one field of a line, as the testing package does.
func oneWord(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, escape(name))
}
