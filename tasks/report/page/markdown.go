package page

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Markdown writes the report without its charts, as GitHub renders it.
func (r Report) Markdown(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n\nPerformance report, %s, %s.\n", escapeMarkdown(r.Module), date(r.Written), commit(r.Commit, r.Dirty))
	for _, s := range r.sections() {
		writeSection(&out, s)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func writeSection(out *strings.Builder, s section) {
	fmt.Fprintf(out, "\n## %s\n\n%s\n", s.Title, s.About)
	if s.Meta != nil {
		fmt.Fprintf(out, "\n%s.\n", escapeMarkdown(strings.Join(s.Meta, "; ")))
	}
	if s.Problem != "" {
		fmt.Fprintf(out, "\n> %s\n", escapeMarkdown(s.Problem))
		if s.Hint != "" {
			fmt.Fprintf(out, ">\n> To get it: %s\n", code(s.Hint))
		}
	}
	var chips []string
	for _, c := range s.Chips {
		chips = append(chips, c.Figure+" "+c.Label)
	}
	if chips != nil {
		fmt.Fprintf(out, "\n%s\n", strings.Join(chips, ", "))
	}
	if s.Table != nil {
		writeTable(out, *s.Table)
	}
	if len(s.Notes) > 0 {
		out.WriteByte('\n')
	}
	for _, note := range s.Notes {
		fmt.Fprintf(out, "- %s\n", escapeMarkdown(note))
	}
}

func writeTable(out *strings.Builder, t table) {
	head, rule := "\n|", "|"
	for _, c := range t.Columns {
		if c.Chart {
			continue
		}
		head += " " + escapeMarkdown(c.Name) + " |"
		if c.Number {
			rule += "--:|"
		} else {
			rule += "---|"
		}
	}
	out.WriteString(head + "\n" + rule + "\n")
	for _, r := range t.Rows {
		line := "|"
		for at, c := range r.Cells {
			if t.Columns[at].Chart {
				continue
			}
			text := escapeMarkdown(c.Text)
			for _, more := range c.Lines {
				text += "<br>" + escapeMarkdown(more)
			}
			line += " " + text + " |"
		}
		out.WriteString(line + "\n")
	}
}

// escapeMarkdown keeps text from being read as markup, on one line.
func escapeMarkdown(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			out.WriteString("<br>")
		case r == '<':
			out.WriteString("&lt;")
		case r == '&':
			out.WriteString("&amp;")
		case strings.ContainsRune("\\`*_[]|~#", r):
			out.WriteByte('\\')
			out.WriteRune(r)
		case unicode.IsPrint(r):
			out.WriteRune(r)
		default:
			fmt.Fprintf(&out, "\\\\u%04x", r)
		}
	}
	return out.String()
}

// code fences a command with more backquotes than it has in a row.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + " " + text + " " + fence
}
