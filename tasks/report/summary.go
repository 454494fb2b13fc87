package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/perfpin/perfpin/tasks/gate"
)

// Summary writes what a run says as Markdown, for the page of a CI job. results are
// nil where nothing could be judged; outcome is then why, and else nil or what the
// gate concluded. It writes at most limit bytes: rows that do not fit are counted.
func Summary(w io.Writer, results *Results, outcome error, limit int) error {
	var out strings.Builder
	switch {
	case results != nil:
		summarize(&out, *results, limit)
	case outcome != nil:
		out.WriteString("## perfpin: nothing was judged\n\n")
		text := preformat(outcome.Error())
		if len(text) <= limit-out.Len() {
			out.WriteString(text)
		}
	}
	if out.Len() > limit {
		return fmt.Errorf("summary: is %d bytes, and there is room for %d", out.Len(), limit)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// spare is what is kept of the limit for what comes behind the rows: the closing
// tags, and one line that counts what was left out.
const spare = 512

func summarize(out *strings.Builder, results Results, limit int) {
	out.WriteString("## perfpin: " + tellTally(results) + "\n\n")
	if results.Shard != "" {
		out.WriteString("Shard " + results.Shard + ".\n\n")
	}
	if results.Differences != nil {
		out.WriteString("Not comparable: " + escapeText(tellDifferences(results.Differences)) + "\n\n" +
			preformat(hintPlatform(results.Differences)))
	}
	var within, others []Bench
	for _, b := range results.Benches {
		if b.Verdict == gate.Within {
			within = append(within, b)
		} else {
			others = append(others, b)
		}
	}
	left := writeBenches(out, others, limit-spare)
	left += writeReasons(out, others, limit-spare)
	if len(within) > 0 && left == 0 {
		fmt.Fprintf(out, "<details><summary>%d within</summary>\n\n", len(within))
		left = writeBenches(out, within, limit-spare)
		out.WriteString("</details>\n\n")
	}
	if left > 0 {
		fmt.Fprintf(out, "There was no room for %d more; all are in `target/perf/results.json`.\n\n", left)
	}
	if results.Commit != "" {
		changed := ""
		if results.Dirty {
			changed = ", with changes"
		}
		fmt.Fprintf(out, "%s, %s, valgrind %s, commit %s%s\n\n", escapeText(results.Platform.Go),
			escapeText(results.Platform.Target), escapeText(results.Platform.Valgrind), escapeText(results.Commit), changed)
	}
}

func tellTally(results Results) string {
	tally := make(map[gate.Kind]int)
	for _, b := range results.Benches {
		tally[b.Verdict]++
	}
	return gate.TellTally(tally, nil)
}

// writeBenches writes a table of as many benches as fit and returns how many did not.
func writeBenches(out *strings.Builder, benches []Bench, limit int) (left int) {
	if len(benches) == 0 {
		return 0
	}
	out.WriteString("| bench | Ir/op | pinned | change | band | allocs/op | B/op | verdict |\n|---|--:|--:|--:|--:|--:|--:|---|\n")
	for i, b := range benches {
		row := "| " + strings.Join(fillCells(b), " | ") + " |\n"
		if out.Len()+len(row) > limit {
			left = len(benches) - i
			break
		}
		out.WriteString(row)
	}
	out.WriteByte('\n')
	return left
}

func fillCells(b Bench) []string {
	pinned, change := "-", "-"
	if b.Pin != nil {
		pinned = group(string(b.Pin.Ir))
		if b.Delta != nil {
			change = percent(*b.Delta, b.Pin.Total)
		}
	}
	verdict := string(b.Verdict)
	if !b.Settled && len(b.Runs) > 1 {
		verdict += ", varies"
	}
	return []string{
		"<code>" + escapeText(b.Bench) + "</code>", tellNumber(b.Ir), pinned, change,
		cmp.Or(b.Band, "-"), tellNumber(b.Allocs), tellNumber(b.Bytes), verdict,
	}
}

func tellNumber(number *json.Number) string {
	if number == nil {
		return "-"
	}
	return group(string(*number))
}

// writeReasons says under the table what is wrong with the benches that failed or
// moved, and what helps. It returns how many had no room.
func writeReasons(out *strings.Builder, benches []Bench, limit int) (left int) {
	var moved, pinnable []string
	missing := false
	for _, b := range benches {
		switch b.Verdict {
		case gate.Failed:
			text := "<code>" + escapeText(b.Bench) + "</code> failed:\n\n" + preformat(b.Error)
			if out.Len()+len(text) > limit {
				left++
				continue
			}
			out.WriteString(text)
		case gate.Regressed, gate.Improved:
			if !writeFunctions(out, b, limit) {
				left++
			}
			moved = append(moved, regexp.QuoteMeta(b.Bench))
			pinnable = append(pinnable, regexp.QuoteMeta(b.Bench))
		case gate.Unpinned:
			pinnable = append(pinnable, regexp.QuoteMeta(b.Bench))
		case gate.Missing:
			missing = true
		}
	}
	var hints string
	if moved != nil {
		hints += "go tool mage explain" + selectBenches(moved) + "  # which functions moved\n"
	}
	if pinnable != nil {
		hints += "go tool mage pin" + selectBenches(pinnable) + "  # if it is meant\n"
	}
	if missing {
		hints += "go tool mage pin  # removes the lines of benches that are gone\n"
	}
	if text := preformat(hints); hints != "" && out.Len()+len(text) <= limit {
		out.WriteString(text)
	}
	return left
}

// writeFunctions names the functions that a bench moved by, as far as they are known;
// false where there is no room.
func writeFunctions(out *strings.Builder, b Bench, limit int) bool {
	lines := b.ToldFunctions()
	if lines == nil {
		return true
	}
	text := "<code>" + escapeText(b.Bench) + "</code>:\n\n" + preformat(strings.Join(lines, "\n"))
	if out.Len()+len(text) > limit {
		return false
	}
	out.WriteString(text)
	return true
}

// mostNamed is how many benches a command names one by one.
const mostNamed = 10

func selectBenches(patterns []string) string {
	if len(patterns) > mostNamed {
		return ""
	}
	return " -bench=" + QuoteShell("^("+strings.Join(patterns, "|")+")$")
}

// preformat shows text as it is. Raw HTML of this kind ends at its closing tag alone
// (CommonMark 0.31.2, 4.6, start condition 1), which cannot stand in escaped text.
func preformat(text string) string {
	return "<pre>" + html.EscapeString(escapeLines(text)) + "</pre>\n\n"
}

// escapeText makes text that Markdown and HTML both show as it is: what could be
// markup of either stands as a character reference, which neither reads as markup.
func escapeText(text string) string {
	var out strings.Builder
	for _, r := range escape(text) {
		switch {
		case r >= 0x80, r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(" /.,-", r):
			out.WriteRune(r)
		default:
			out.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		}
	}
	return out.String()
}
