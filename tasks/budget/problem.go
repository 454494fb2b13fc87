package budget

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// A problem is one thing that is wrong with the file.
type problem struct {
	line int
	what string
	hint string // "" or what follows "hint: "
}

// problems collects what is wrong, so that one reading reports all of it.
type problems []problem

func (p *problems) add(line int, format string, args ...any) {
	*p = append(*p, problem{line: line, what: fmt.Sprintf(format, args...)})
}

// hint adds advice to the problem that was added last.
func (p problems) hint(text string) {
	p[len(p)-1].hint = text
}

// err returns all problems as one error in the order of the lines, with a last
// line that counts them where there are several; nil where there are none.
func (p problems) err(name string) error {
	slices.SortStableFunc(p, func(a, b problem) int { return cmp.Compare(a.line, b.line) })
	var all []error
	for _, problem := range p {
		text := fmt.Sprintf("%s:%d: %s", name, problem.line, problem.what)
		if problem.hint != "" {
			text += "\nhint: " + problem.hint
		}
		all = append(all, errors.New(text))
	}
	if len(all) > 1 {
		all = append(all, fmt.Errorf("%s: %d problems", name, len(p)))
	}
	return errors.Join(all...)
}
