package report

import (
	"io"
	"strings"
)

// Markdown writes the same as Terminal for pasting: no name of the host, and the
// ratios first.
func (t Throughput) Markdown(w io.Writer) error {
	var out strings.Builder
	out.WriteString("- " + t.date() + "\n")
	for _, line := range t.conditions() {
		out.WriteString("- " + escapeMarkdown(line) + "\n")
	}
	for _, table := range [][][]string{t.ratios(), t.figures()} {
		if len(table) > 1 {
			out.WriteByte('\n')
			writeMarkdownTable(&out, table)
		}
	}
	if notes := t.notes(); notes != nil {
		out.WriteByte('\n')
		for _, note := range notes {
			out.WriteString("- " + strings.ReplaceAll(escapeMarkdown(note), "\n", "<br>") + "\n")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func writeMarkdownTable(out *strings.Builder, table [][]string) {
	for at, line := range table {
		for _, cell := range line {
			out.WriteString("| " + escapeMarkdown(cell) + " ")
		}
		out.WriteString("|\n")
		if at == 0 {
			// Names to the left, figures to the right.
			out.WriteString("|---" + strings.Repeat("|--:", len(line)-1) + "|\n")
		}
	}
}

// escapeMarkdown keeps text from being read as markup.
func escapeMarkdown(text string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`).Replace(text)
}
