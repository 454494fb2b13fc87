package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/perfpin/perfpin/tasks/gate"
)

// A Comparison is what came of counting two revisions.
type Comparison struct {
	// BaseName says which the older one is: "merge base with main (1a2b3c4d5e6f)".
	BaseName string
	// Verdicts judge the newer one, base in the place of the pins. What could not be
	// counted at base is failed too.
	Verdicts []gate.Verdict
	// Explained says which functions moved, by the bench.
	Explained map[string]Explanation
	// Notes say in what else the two differ.
	Notes []string
}

// Compare writes the table of a comparison, the functions that moved below each row,
// and one line that counts.
func Compare(w io.Writer, c Comparison, opts TerminalOptions) error {
	opts.Explained, opts.reference = c.Explained, "base"
	opts.words = map[gate.Kind]string{gate.Unpinned: "only now", gate.Missing: "only at base"}
	var out strings.Builder
	fmt.Fprintf(&out, "base: %s\n", escape(c.BaseName))
	for _, note := range c.Notes {
		fmt.Fprintf(&out, "note: %s\n", escape(note))
	}
	if len(c.Verdicts) > 0 {
		out.WriteByte('\n')
		writeTable(&out, c.Verdicts, opts)
	}
	out.WriteByte('\n')
	findings := describeFailures(c)
	if findings != nil {
		writeFindings(&out, findings, opts)
		out.WriteByte('\n')
	}
	writeSummary(&out, c.Verdicts, opts)
	_, err := io.WriteString(w, out.String())
	return err
}

func describeFailures(c Comparison) []finding {
	var findings []finding
	for i := range c.Verdicts {
		if v := &c.Verdicts[i]; v.Kind == gate.Failed {
			findings = append(findings, describeOne(v))
		}
	}
	for _, bench := range slices.Sorted(maps.Keys(c.Explained)) {
		if err := c.Explained[bench].Err; err != nil {
			findings = append(findings, finding{kind: gate.NotComparable, text: escape(bench) + ": " + err.Error()})
		}
	}
	return findings
}
