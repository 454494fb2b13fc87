package report

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/perfpin/perfpin/tasks/wallclock"
)

// Clock writes how two sets of timed results differ, in words that cannot be read the
// wrong way round.
func Clock(w io.Writer, c wallclock.Comparison) error {
	before, after := escape(c.Before), escape(c.After)
	var out strings.Builder
	fmt.Fprintf(&out, "%s compared with %s: \"slower\" means that %s takes more time than %s\n", after, before, after, before)
	for _, d := range c.Config {
		fmt.Fprintf(&out, "note: %s: %s has %q, %s has %q: the times may differ for that alone\n", d[0], before, d[1], after, d[2])
	}
	for _, problem := range c.Problems {
		fmt.Fprintf(&out, "note: %s: not read\n", escape(problem))
	}
	last := ""
	for _, d := range c.Differences {
		if d.Before == d.After && d.Unit != "sec/op" {
			continue
		}
		if d.Bench != last {
			fmt.Fprintf(&out, "\n%s\n", escape(d.Bench))
			last = d.Bench
		}
		fmt.Fprintf(&out, "  %s\n", tellDifference(d, before, after))
		for _, warning := range d.Warnings {
			fmt.Fprintf(&out, "    note: %s\n", escape(warning))
		}
	}
	writeOnly(&out, before, c.OnlyBefore)
	writeOnly(&out, after, c.OnlyAfter)
	_, err := io.WriteString(w, out.String())
	return err
}

// tellDifference makes a sentence: "after is 5.2 % slower than before (p=0.002, n=10):
// 1.052µ sec/op, was 1.000µ".
func tellDifference(d wallclock.Difference, before, after string) string {
	samples := fmt.Sprintf("n=%d", d.Samples[0])
	if d.Samples[0] != d.Samples[1] {
		samples = fmt.Sprintf("n=%d+%d", d.Samples[0], d.Samples[1])
	}
	class := benchunit.ClassOf(d.Unit)
	values := fmt.Sprintf("%s %s, was %s", benchunit.Scale(d.After, class), d.Unit, benchunit.Scale(d.Before, class))
	more, less, what := "more", "less", " "+d.Unit
	if d.Unit == "sec/op" {
		more, less, what = "slower", "faster", ""
	}
	switch {
	case d.Before == d.After:
		return fmt.Sprintf("%s and %s are the same (p=%.3f, %s): %s", after, before, d.P, samples, values)
	case !d.Significant:
		return fmt.Sprintf("%s is not told from %s%s (p=%.3f, %s): %s", after, before, inUnit(d.Unit), d.P, samples, values)
	case d.Before == 0:
		return fmt.Sprintf("%s has%s, %s has none (p=%.3f, %s): %s", after, what, before, d.P, samples, values)
	}
	change := 100 * (d.After - d.Before) / d.Before
	word := more
	if change < 0 {
		word, change = less, -change
	}
	verb := "is"
	if what != "" {
		verb = "takes"
	}
	return fmt.Sprintf("%s %s %.1f %% %s%s than %s (p=%.3f, %s): %s", after, verb, change, word, what, before, d.P, samples, values)
}

func inUnit(unit string) string {
	if unit == "sec/op" {
		return ""
	}
	return " in " + unit
}

func writeOnly(out *strings.Builder, name string, benches []string) {
	for i, bench := range benches {
		if i == 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "only in %s: %s\n", name, escape(bench))
	}
}
