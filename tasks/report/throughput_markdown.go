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
	writeMarkdownTable(&out, t.ratios(), 1)
	writeMarkdownTable(&out, t.figures(), 2)
	if notes := t.notes(); notes != nil {
		out.WriteByte('\n')
		for _, note := range notes {
			out.WriteString("- " + strings.ReplaceAll(escapeMarkdown(note), "\n", "<br>") + "\n")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// writeMarkdownTable writes a table whose first columns, names of them, stand to the
// left and whose figures stand to the right. A header alone is no table.
func writeMarkdownTable(out *strings.Builder, table [][]string, names int) {
	if len(table) < 2 {
		return
	}
	out.WriteByte('\n')
	for at, line := range table {
		for _, cell := range line {
			out.WriteString("| " + escapeMarkdown(cell) + " ")
		}
		out.WriteString("|\n")
		if at == 0 {
			out.WriteString(strings.Repeat("|---", names) + strings.Repeat("|--:", len(line)-names) + "|\n")
		}
	}
}

// escapeMarkdown keeps text from being read as markup.
func escapeMarkdown(text string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`).Replace(text)
}
