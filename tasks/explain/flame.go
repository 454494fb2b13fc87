package explain

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
)

// A node is a box of a flame graph: a function that was called from those below it,
// inlined or not.
type node struct {
	name string
	// base and head are the instructions of it and of all above it; only head where one
	// profile is shown.
	base, head int64
	children   map[string]*node
}

func (n *node) child(name string) *node {
	if n.children == nil {
		n.children = make(map[string]*node)
	}
	if n.children[name] == nil {
		n.children[name] = &node{name: name}
	}
	return n.children[name]
}

// add puts the costs of a profile into the tree.
func (n *node) add(p Profile, side func(*node) *int64) {
	for _, c := range p.Costs {
		at := n
		*side(at) += c.Ir
		for i := len(c.Stack) - 1; i >= 0; i-- {
			for j := len(c.Stack[i]) - 1; j >= 0; j-- {
				at = at.child(c.Stack[i][j].Function)
				*side(at) += c.Ir
			}
		}
	}
}

func (n *node) depth() int {
	deepest := 0
	for _, c := range n.children {
		deepest = max(deepest, c.depth())
	}
	return deepest + 1
}

// sorted returns the children by name: callers of the same function are side by side
// in every graph.
func (n *node) sorted() []*node {
	var children []*node
	for _, c := range n.children {
		children = append(children, c)
	}
	slices.SortFunc(children, func(a, b *node) int { return cmp.Compare(a.name, b.name) })
	return children
}

// WriteFlame writes a flame graph as an SVG: a box a function, on top of its caller,
// as wide as the instructions of it and of what it called.
func WriteFlame(w io.Writer, p Profile) error {
	root := &node{name: p.Bench}
	root.add(p, func(n *node) *int64 { return &n.head })
	g := graph{root: root, total: root.head}
	g.title = fmt.Sprintf("%s: %d instructions in %d operations", p.Bench, root.head, p.Iters)
	g.width = func(n *node) int64 { return n.head }
	g.color = func(n *node) string { return nameColor(n.name) }
	g.tell = func(n *node) string {
		return fmt.Sprintf("%s: %d instructions, %s", n.name, n.head, share(n.head, root.head))
	}
	return g.write(w)
}

// WriteFlameDiff writes a flame graph of two profiles: boxes are as wide as the larger
// of the two, red where head costs more, blue where it costs less.
func WriteFlameDiff(w io.Writer, base, head Profile) error {
	root := &node{name: head.Bench}
	root.add(base, func(n *node) *int64 { return &n.base })
	root.add(head, func(n *node) *int64 { return &n.head })
	g := graph{root: root}
	// A box has to have room for those above it.
	widths := make(map[*node]int64)
	g.total = widest(root, widths)
	g.title = fmt.Sprintf("%s: %+d instructions, from %d to %d", head.Bench, root.head-root.base, root.base, root.head)
	g.width = func(n *node) int64 { return widths[n] }
	largest := largestDelta(root)
	g.color = func(n *node) string { return deltaColor(n.head-n.base, largest) }
	g.tell = func(n *node) string {
		return fmt.Sprintf("%s: %+d instructions, from %d to %d", n.name, n.head-n.base, n.base, n.head)
	}
	return g.write(w)
}

func widest(n *node, widths map[*node]int64) int64 {
	var above int64
	for _, c := range n.children {
		above += widest(c, widths)
	}
	widths[n] = max(n.base, n.head, above)
	return widths[n]
}

func largestDelta(n *node) int64 {
	largest := abs(n.head - n.base)
	for _, c := range n.children {
		largest = max(largest, largestDelta(c))
	}
	return largest
}

// A graph is how a tree of nodes is drawn.
type graph struct {
	root        *node
	title       string
	total       int64
	width       func(*node) int64
	color, tell func(*node) string
}

// Sizes in pixels.
const (
	graphWidth  = 1200
	boxHeight   = 17
	margin      = 10
	letterWidth = 7 // of the text in boxes
	// leastWidth is that of a box that is drawn; none is seen below it.
	leastWidth = 0.1
)

func (g graph) write(w io.Writer) error {
	height := (g.root.depth()+1)*boxHeight + 3*margin
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="monospace" font-size="12">`+"\n",
		graphWidth+2*margin, height)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	fmt.Fprintf(&out, `<text x="%d" y="%d">%s</text>`+"\n", margin, margin+boxHeight-4, escapeXML(g.title))
	if g.total > 0 {
		g.box(&out, g.root, margin, height-margin-boxHeight)
	}
	out.WriteString("</svg>\n")
	_, err := io.WriteString(w, out.String())
	return err
}

func (g graph) box(out *strings.Builder, n *node, x float64, y int) {
	width := graphWidth * float64(g.width(n)) / float64(g.total)
	if width < leastWidth {
		return
	}
	fmt.Fprintf(out, `<g><title>%s</title><rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s" stroke="#fff" stroke-width="0.5"/>`,
		escapeXML(g.tell(n)), x, y, width, boxHeight-1, g.color(n))
	if label := fit(n.name, int(width-4)/letterWidth); label != "" {
		fmt.Fprintf(out, `<text x="%.2f" y="%d">%s</text>`, x+2, y+boxHeight-5, escapeXML(label))
	}
	out.WriteString("</g>\n")
	for _, c := range n.sorted() {
		g.box(out, c, x, y-boxHeight)
		x += graphWidth * float64(g.width(c)) / float64(g.total)
	}
}

// fit cuts a name to a number of letters: its end tells more than the path before.
func fit(name string, letters int) string {
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		name = name[at+1:]
	}
	runes := []rune(name)
	switch {
	case len(runes) <= letters:
		return name
	case letters < 3:
		return ""
	}
	return string(runes[:letters-1]) + "…"
}

func escapeXML(text string) string {
	var out strings.Builder
	// A strings.Builder takes everything; what XML has no letter for is replaced.
	_ = xml.EscapeText(&out, []byte(text))
	return out.String()
}

func share(part, whole int64) string {
	return fmt.Sprintf("%.2f %%", 100*float64(part)/float64(whole))
}

// nameColor is the same for a function in every graph.
func nameColor(name string) string {
	if name == Unknown {
		return "#ccc"
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	sum := h.Sum32()
	return fmt.Sprintf("hsl(%d,70%%,%d%%)", sum%50+10, 60+sum>>8%15)
}

// deltaColor is the paler the smaller the move is.
func deltaColor(delta, largest int64) string {
	if delta == 0 || largest == 0 {
		return "#eee"
	}
	light := 92 - int(40*float64(abs(delta))/float64(largest))
	hue := 0
	if delta < 0 {
		hue = 220
	}
	return fmt.Sprintf("hsl(%d,85%%,%d%%)", hue, light)
}
