package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"github.com/perfpin/perfpin/tasks/throughput"
)

// A Throughput is what a run of the throughput harness has measured.
type Throughput struct {
	Header throughput.Header
	Rows   []throughput.Row
}

// Terminal writes what it was measured on and with, each server's figures, the
// ratios, and last what is wrong with them. The host's name is here only.
func (t Throughput) Terminal(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s, %s\n", escape(t.Header.Host), t.date())
	for _, line := range t.conditions() {
		out.WriteString(line + "\n")
	}
	for _, table := range [][][]string{t.figures(), t.ratios()} {
		if len(table) > 1 {
			out.WriteByte('\n')
			writeAligned(&out, table)
		}
	}
	if notes := t.notes(); notes != nil {
		out.WriteByte('\n')
		for _, note := range notes {
			out.WriteString(note + "\n")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (t Throughput) date() string { return t.Header.Date.UTC().Format("2006-01-02 15:04 UTC") }

// conditions are the lines of the header but for date and host.
func (t Throughput) conditions() []string {
	h := t.Header
	server := h.Subject
	if h.Commit != "" {
		server += ", commit " + h.Commit
	}
	if len(h.SubjectArgs) > 0 {
		server += ", with " + strings.Join(h.SubjectArgs, " ")
	}
	programs := []string{server}
	if h.Nginx != "" {
		programs = append(programs, h.Nginx)
	}
	where := fmt.Sprintf("servers on processor %d, load on %s", h.Placement.Server, joinCPUs(h.Placement.Load))
	if h.Placement.Siblings {
		where += ", threads of the same core"
	}
	lines := []string{
		strings.Join(slices.DeleteFunc([]string{h.Machine.String(), h.OS, h.Go}, func(part string) bool { return part == "" }), ", "),
		strings.Join(append(programs, h.Generator), "; "),
		fmt.Sprintf("%s, %s of %v after %v of warm-up, one worker each; %s",
			counted(h.Connections, "connection"), counted(h.Rounds, "round"), h.Duration, h.Warmup, where),
		"req/CPU-s: requests per second of the server's own processor time, median of the rounds; " +
			"×: the first server's by another's in the same round, median (least to most); *: not saturated, see below",
		"latency: " + h.Latency,
	}
	for i, line := range lines {
		lines[i] = escape(line)
	}
	return lines
}

func joinCPUs(cpus []int) string {
	var out []string
	for _, cpu := range cpus {
		out = append(out, fmt.Sprint(cpu))
	}
	return strings.Join(out, ",")
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// figures is the table of each server's own figures, its header first.
func (t Throughput) figures() [][]string {
	table := [][]string{{
		"request", "server", "req/CPU-s", "least to most", "req/s", "CPU", "p50 closed-loop", "p99 closed-loop", "memory",
	}}
	for _, row := range t.Rows {
		for _, result := range row.Results {
			metric := result.PerCPUSecond()
			table = append(table, []string{
				row.Request, result.Server,
				whole(metric.Median) + mark(result.Saturation()), whole(metric.Least) + " to " + whole(metric.Most),
				whole(result.PerSecond().Median),
				fmt.Sprintf("%.0f%%", 100*result.Use().Median),
				percentile(result, 50), percentile(result, 99),
				fmt.Sprintf("%.1f MiB", float64(result.PeakMemory)/(1<<20)),
			})
		}
	}
	return table
}

// ratios is the table of the comparison, its header first.
func (t Throughput) ratios() [][]string {
	table := [][]string{{"request"}}
	for _, row := range t.Rows {
		line := []string{row.Request}
		for _, ratio := range row.Ratios() {
			if len(table) == 1 {
				table[0] = append(table[0], "× "+ratio.Against)
			}
			line = append(line, writeRatio(ratio))
		}
		if len(line) > 1 {
			table = append(table, line)
		}
	}
	return table
}

func writeRatio(r throughput.Ratio) string {
	if r.Withheld() {
		return "withheld" + mark(r.Saturation)
	}
	return fmt.Sprintf("%.2f%s (%.2f to %.2f)", r.Median, mark(r.Saturation), r.Least, r.Most)
}

// mark is on every figure that is not like the others.
func mark(s throughput.Saturation) string {
	if s == throughput.Saturated {
		return ""
	}
	return "*"
}

// notes say what is special about rows, and what the marks mean.
func (t Throughput) notes() []string {
	var notes []string
	for _, row := range t.Rows {
		if row.Err != nil {
			notes = append(notes, escapeLines(row.Err.Error()))
			continue
		}
		if row.Share < 1 {
			notes = append(notes, fmt.Sprintf("%s: each server had %.0f%% of its processor, so that the load could keep it busy",
				row.Request, 100*row.Share))
		}
		if row.Threads > 1 {
			notes = append(notes, fmt.Sprintf("%s: the load had %d processors", row.Request, row.Threads))
		}
		if row.Repeated > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s again, the hypervisor had taken more than %.0f%% of a processor%s",
				row.Request, turnsMeasured(row.Repeated), 100*throughput.MostStolen, stolen(row)))
		}
		for _, result := range row.Results {
			if s := result.Saturation(); s != throughput.Saturated {
				notes = append(notes, fmt.Sprintf("* %s: %s: %s (the server used %.0f%% of what it had)",
					row.Request, result.Server, s, 100*result.Use().Median))
			}
		}
	}
	if t.Header.NoQuota != nil {
		notes = append(notes, "servers could not be given less of their processor: "+
			strings.ReplaceAll(escapeLines(t.Header.NoQuota.Error()), "\n", "; "))
	}
	return notes
}

func turnsMeasured(turns int) string {
	if turns == 1 {
		return "1 turn was measured"
	}
	return fmt.Sprintf("%d turns were measured", turns)
}

// stolen tells what the hypervisor has taken in spite of all repetitions.
func stolen(row throughput.Row) string {
	most := 0.0
	for _, result := range row.Results {
		for _, sample := range result.Samples {
			most = max(most, sample.Use.Stolen)
		}
	}
	if most <= throughput.MostStolen {
		return ""
	}
	return fmt.Sprintf(", up to %.0f%% in what is counted", 100*most)
}

// whole writes a figure without its fraction, which says nothing here.
func whole(value float64) string { return group(fmt.Sprintf("%.0f", value)) }

func percentile(result throughput.Result, p float64) string {
	value, found := result.Percentile(p)
	if !found {
		return "-"
	}
	return time.Duration(value.Median * float64(time.Second)).Round(time.Microsecond).String()
}

// writeAligned writes a table whose columns begin below each other.
func writeAligned(out *strings.Builder, table [][]string) {
	columns := make([]column, len(table[0]))
	for _, line := range table {
		for at := range columns {
			cell := ""
			if at < len(line) {
				cell = line[at]
			}
			columns[at].cells = append(columns[at].cells, cell)
		}
	}
	for row := range table {
		var line strings.Builder
		for _, c := range columns {
			cell := c.cells[row]
			line.WriteString(cell + strings.Repeat(" ", c.width()-uniseg.StringWidth(cell)+2))
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
