package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// escape makes text from outside safe to print on one line: what is not
// printable, an escape sequence above all, stands as Go writes it in a string.
func escape(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, text[i])
		case unicode.IsPrint(r):
			out.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&out, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\U%08x`, r)
		}
		i += size
	}
	return out.String()
}

// escapeLines escapes each line of a text of several, and tabs become spaces.
func escapeLines(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = escape(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// shorten cuts the middle out of a text that needs more than width terminal
// cells: both ends of a bench's name tell something.
func shorten(text string, width int) string {
	if uniseg.StringWidth(text) <= width {
		return text
	}
	var clusters []string
	for g := uniseg.NewGraphemes(text); g.Next(); {
		clusters = append(clusters, g.Str())
	}
	head, tail := "", ""
	for i, j, left := 0, len(clusters)-1, width-1; i <= j; {
		next := &head
		cluster := clusters[i]
		if len(tail) <= len(head) {
			next, cluster = &tail, clusters[j]
		}
		left -= uniseg.StringWidth(cluster)
		if left < 0 {
			break
		}
		if next == &tail {
			tail = cluster + tail
			j--
		} else {
			head += cluster
			i++
		}
	}
	return head + "…" + tail
}

// QuoteShell quotes a word for a POSIX shell.
func QuoteShell(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
