package page

import (
	"fmt"

	"github.com/perfpin/perfpin/tasks/report"
)

func (r Report) throughput() section {
	s := open(r, r.Throughput, "throughput", "Throughput", "Requests that a second of processor time serves. The ratio beside a server is the first one's rate divided by its own: above 1, the first one is faster.")
	t := r.Throughput.Data
	if t == nil {
		return s
	}
	s.Notes = append(s.Notes, t.Conditions...)
	s.Table = &table{
		Caption: plural(len(t.Requests), "request"),
		Columns: []column{
			{Name: "request"}, {Name: "server"}, {Name: "per CPU second", Number: true},
			{Name: "from", Number: true}, {Name: "to", Number: true},
			{Name: "ratio", Number: true}, {Name: "saturation"}, {Name: "spread", Chart: true},
		},
		Legend: []chip{{Label: "median", Class: "bar"}, {Label: "least to most", Class: "spread"}},
	}
	for _, request := range t.Requests {
		s.Table.Rows = append(s.Table.Rows, request.rows()...)
		if request.Error != "" {
			s.Notes = append(s.Notes, request.Request+": "+request.Error)
		}
	}
	return s
}

// rows are one a server.
func (t ThroughputRequest) rows() []row {
	largest := 0.0
	for _, server := range t.Servers {
		largest = max(largest, server.PerCPUSecond.Most)
	}
	var rows []row
	for at, server := range t.Servers {
		rates := server.PerCPUSecond
		title := fmt.Sprintf("%s: median %s, from %s to %s requests a processor second",
			server.Server, rate(rates.Median), rate(rates.Least), rate(rates.Most))
		colour := "bar"
		if at > 0 {
			colour = "bar2"
		}
		rows = append(rows, row{[]cell{
			text(t.Request), text(server.Server), text(rate(rates.Median)), text(rate(rates.Least)), text(rate(rates.Most)),
			ratio(t.Ratios, server.Server), text(server.Saturation),
			{Chart: drawSpread(title, colour, largest, rates.Least, rates.Median, rates.Most)},
		}})
	}
	return rows
}

func ratio(ratios []report.ThroughputRatio, against string) cell {
	for _, r := range ratios {
		switch {
		case r.Against != against:
		case r.Withheld || r.Spread == nil:
			return text("withheld")
		default:
			return text(fmt.Sprintf("%.2f", r.Spread.Median))
		}
	}
	return text("–")
}

func (r Report) coverage() section {
	s := open(r, r.Coverage, "coverage", "Coverage", "Statements that the tests reach: in test processes (unit), in the programs that tests build and run (end to end), and in either.")
	c := r.Coverage.Data
	if c == nil {
		return s
	}
	s.Chips = []chip{
		{share(c.Total.Unit, c.Total.Statements), "unit", ""},
		{share(c.Total.EndToEnd, c.Total.Statements), "end to end", ""},
		{share(c.Total.All(), c.Total.Statements), "all together", ""},
		{report.Group(fmt.Sprint(c.Total.OnlyEndToEnd())), "statements only end to end", ""},
	}
	s.Table = &table{
		Caption: plural(len(c.Packages), "package"), Filter: len(c.Packages) > 20,
		Columns: []column{
			{Name: "package"}, {Name: "statements", Number: true}, {Name: "unit", Number: true},
			{Name: "end to end", Number: true}, {Name: "all", Number: true},
			{Name: "only end to end", Number: true}, {Name: "reached", Chart: true},
		},
		Legend: []chip{
			{Label: "unit only", Class: "unit"}, {Label: "both", Class: "both"}, {Label: "end to end only", Class: "end"},
			{Label: "not reached", Class: "rest"},
		},
	}
	for _, p := range c.Packages {
		title := fmt.Sprintf("of %d statements: %d unit only, %d both, %d end to end only, %d not reached",
			p.Statements, p.Unit-p.Both, p.Both, p.OnlyEndToEnd(), p.Statements-p.All())
		s.Table.Rows = append(s.Table.Rows, row{[]cell{
			text(p.Package), text(report.Group(fmt.Sprint(p.Statements))),
			text(share(p.Unit, p.Statements)), text(share(p.EndToEnd, p.Statements)), text(share(p.All(), p.Statements)),
			text(report.Group(fmt.Sprint(p.OnlyEndToEnd()))),
			{Chart: drawBar(title, float64(p.Statements),
				part{"unit", float64(p.Unit - p.Both)}, part{"both", float64(p.Both)}, part{"end", float64(p.OnlyEndToEnd())})},
		}})
	}
	return s
}
