package page

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/perfpin/perfpin/tasks/history"
	"github.com/perfpin/perfpin/tasks/report"
)

// Sizes of the charts in a table, in the units of their view box.
const (
	chartWidth  = 150
	trendHeight = 32
	barHeight   = 14
	chartInset  = 3
	// trendPoints is how many of the last points are drawn: more than these are closer
	// together than a dot is wide.
	trendPoints = 60
	// leastBand is the height of a band that is drawn: one of 0 % is a line.
	leastBand = 1.5
)

// A chart is drawn as an SVG whose Title says the same in words.
type chart struct {
	Title         string
	Width, Height int
	Rects         []rect
	Paths         []path
	Dot           *dot
}

// A rect, a path and a dot are coloured by their class.
type rect struct{ X, Y, Width, Height, Class string }
type path struct{ D, Class string }
type dot struct{ X, Y, Class string }

// A scale maps counts per operation to heights, and points to distances.
type scale struct {
	least, most float64
	points      int
}

func (s scale) y(value float64) float64 {
	return chartInset + (trendHeight-2*chartInset)*(s.most-value)/(s.most-s.least)
}

func (s scale) x(at int) float64 {
	if s.points < 2 {
		return chartWidth - 2*chartInset
	}
	return chartInset + float64(at)*(chartWidth-3*chartInset)/float64(s.points-1)
}

// drawTrend draws what a bench cost over time, the pins as steps, and the band that
// holds now. It returns nil for a bench without anything to draw.
func drawTrend(b Bench) *chart {
	points := b.History[max(0, len(b.History)-trendPoints):]
	if len(points) == 0 {
		return nil
	}
	s := fit(b, points)
	c := &chart{Title: tellTrend(b, points), Width: chartWidth, Height: trendHeight}
	if b.Pin != nil && b.Least != nil && b.Most != nil {
		iters := float64(b.Pin.Iters)
		top, bottom := s.y(float64(*b.Most)/iters), s.y(float64(*b.Least)/iters)
		height := max(leastBand, bottom-top)
		c.Rects = append(c.Rects, rect{
			X: "0", Y: short((top + bottom - height) / 2), Width: strconv.Itoa(chartWidth), Height: short(height), Class: "band",
		})
	}
	if d := drawPins(points, s); d != "" {
		c.Paths = append(c.Paths, path{d, "pins"})
	}
	d, last := drawRuns(points, s)
	if d != "" {
		c.Paths = append(c.Paths, path{d, "runs"})
	}
	if last != nil {
		last.Class = "dot " + class(b.Verdict)
		c.Dot = last
	}
	return c
}

// fit returns the scale that shows all points and the band.
func fit(b Bench, points []history.Point) scale {
	s := scale{least: math.Inf(1), most: math.Inf(-1), points: len(points)}
	show := func(value float64) { s.least, s.most = min(s.least, value), max(s.most, value) }
	for _, p := range points {
		show(p.PerOperation())
	}
	if b.Pin != nil && b.Least != nil && b.Most != nil {
		show(float64(*b.Least) / float64(b.Pin.Iters))
		show(float64(*b.Most) / float64(b.Pin.Iters))
	}
	if s.least == s.most {
		// One value stands in the middle.
		s.least, s.most = s.least-1, s.most+1
	}
	return s
}

// drawPins draws each pin from where it was pinned to the next one.
func drawPins(points []history.Point, s scale) string {
	var d strings.Builder
	for i, p := range points {
		if !p.Pin {
			continue
		}
		if d.Len() == 0 {
			fmt.Fprintf(&d, "M%s %s", short(s.x(i)), short(s.y(p.PerOperation())))
			continue
		}
		fmt.Fprintf(&d, "H%sV%s", short(s.x(i)), short(s.y(p.PerOperation())))
	}
	if d.Len() > 0 {
		fmt.Fprintf(&d, "H%d", chartWidth-chartInset)
	}
	return d.String()
}

// drawRuns joins the counts of the runs, and returns where the last one is. A level
// needs no more than its two ends.
func drawRuns(points []history.Point, s scale) (string, *dot) {
	var d strings.Builder
	var x, y string
	skipped := false
	for i, p := range points {
		if p.Pin {
			continue
		}
		nextX, nextY := short(s.x(i)), short(s.y(p.PerOperation()))
		switch {
		case d.Len() == 0:
			fmt.Fprintf(&d, "M%s %s", nextX, nextY)
		case nextY == y:
			skipped = true
		case skipped:
			fmt.Fprintf(&d, "H%sL%s %s", x, nextX, nextY)
			skipped = false
		default:
			fmt.Fprintf(&d, "L%s %s", nextX, nextY)
		}
		x, y = nextX, nextY
	}
	if d.Len() == 0 {
		return "", nil
	}
	if skipped {
		d.WriteString("H" + x)
	}
	return d.String(), &dot{X: x, Y: y}
}

// tellTrend says in words what the chart shows.
func tellTrend(b Bench, points []history.Point) string {
	pins, least, most := 0, points[0], points[0]
	for _, p := range points {
		if p.Pin {
			pins++
		}
		if p.PerOperation() < least.PerOperation() {
			least = p
		}
		if p.PerOperation() > most.PerOperation() {
			most = p
		}
	}
	last := points[len(points)-1]
	text := fmt.Sprintf("%s, %s", plural(len(points)-pins, "run"), plural(pins, "pin"))
	if first := points[0].Date; !first.Equal(last.Date) {
		text += fmt.Sprintf(", %s to %s", first.Format("2006-01-02"), last.Date.Format("2006-01-02"))
	}
	if perOperation(least) == perOperation(most) {
		text += ": always " + perOperation(last) + " Ir/op"
	} else {
		text += fmt.Sprintf(": %s to %s Ir/op, now %s", perOperation(least), perOperation(most), perOperation(last))
	}
	if b.Pin != nil {
		text += fmt.Sprintf("; pinned %s, band %s", report.Group(b.Pin.Ir.String()), cmp.Or(b.Band, "not known"))
	}
	return text
}

// A part of a bar is coloured by its class.
type part struct {
	class string
	value float64
}

// drawBar draws parts side by side, of a whole that is as wide as the chart.
func drawBar(title string, whole float64, parts ...part) *chart {
	c := &chart{Title: title, Width: chartWidth, Height: barHeight}
	if whole <= 0 {
		return c
	}
	c.Rects = append(c.Rects, rect{X: "0", Y: "2", Width: strconv.Itoa(chartWidth), Height: strconv.Itoa(barHeight - 4), Class: "rest"})
	at := 0.0
	for _, p := range parts {
		width := chartWidth * p.value / whole
		if width > 0 {
			c.Rects = append(c.Rects, rect{X: short(at), Y: "2", Width: short(width), Height: strconv.Itoa(barHeight - 4), Class: p.class})
		}
		at += width
	}
	return c
}

// drawSpread draws a value with the least and the most that it was.
func drawSpread(title, class string, whole, least, median, most float64) *chart {
	c := drawBar(title, whole, part{class, median})
	if whole > 0 {
		x := func(value float64) string { return short(chartWidth * value / whole) }
		c.Paths = append(c.Paths, path{
			fmt.Sprintf("M%s %dH%s", x(least), barHeight/2, x(most)), "spread",
		})
	}
	return c
}

// short writes a coordinate with one decimal, which is finer than a pixel.
func short(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
