package budget

import (
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A value is one key's value that is no table, wherever the file writes it:
// under a header, in an inline table, or behind a dotted key.
type value struct {
	path  []string // {"budgets", bench, "ir"}
	line  int
	kind  unstable.Kind
	text  string // as TOML means it: without quotes and escapes
	items []value
	span  span
}

// walk visits the document's expressions in order. It returns a syntax error.
func (r *reader) walk(data []byte) error {
	r.parser.Reset(data)
	var table []string
	for r.parser.NextExpression() {
		node := r.parser.Expression()
		switch node.Kind {
		case unstable.Table:
			path, line := r.path(node.Key())
			table = path
			r.openTable(path, line)
		case unstable.ArrayTable:
			path, line := r.path(node.Key())
			table = path
			r.muted = path
			r.problems.add(line, "[[%s]]: want no array of tables", joinKeys(path))
		case unstable.KeyValue:
			r.visitKey(table, node, true)
		}
	}
	if r.parser.Error() == nil {
		return nil
	}
	// Only the decoder's errors tell their position.
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		return err
	}
	return errors.New(r.parser.Error().Error())
}

// visitKey visits one "key = value"; alone tells that it is an expression of
// its own, not inside an inline table.
func (r *reader) visitKey(table []string, node *unstable.Node, alone bool) {
	path, line := r.path(node.Key())
	keys := len(path)
	path = append(slices.Clone(table), path...)
	if r.muted != nil && len(path) >= len(r.muted) && slices.Equal(path[:len(r.muted)], r.muted) {
		return
	}
	child := node.Value()
	where := r.file.layout.span(r.keyEnd(node), node.Raw)
	where.direct = alone && keys == 1
	if child.Kind != unstable.InlineTable {
		r.visitValue(path, line, child, where)
		return
	}
	if !r.openInline(path, line, where) {
		return
	}
	for it := child.Children(); it.Next(); {
		r.visitKey(path, it.Node(), false)
	}
}

func (r *reader) visitValue(path []string, line int, node *unstable.Node, where span) {
	v := value{path: path, line: line, kind: node.Kind, text: string(node.Data), span: where}
	if node.Kind == unstable.Array {
		for it := node.Children(); it.Next(); {
			item := it.Node()
			v.items = append(v.items, value{kind: item.Kind, text: string(item.Data)})
		}
	}
	r.read(v)
}

// path returns the parts of a key and the line on which it starts.
func (r *reader) path(keys unstable.Iterator) ([]string, int) {
	var path []string
	line := 0
	for keys.Next() {
		key := keys.Node()
		if line == 0 {
			line = r.file.layout.lineAt(int(key.Raw.Offset))
		}
		path = append(path, string(key.Data))
	}
	return path, line
}

// keyEnd returns the offset after the last part of the key.
func (r *reader) keyEnd(node *unstable.Node) int {
	end := 0
	for keys := node.Key(); keys.Next(); {
		raw := keys.Node().Raw
		end = int(raw.Offset + raw.Length)
	}
	return end
}

func joinKeys(path []string) string {
	quoted := make([]string, len(path))
	for i, key := range path {
		quoted[i] = key
		if !isBareKey(key) {
			quoted[i] = quoteString(key)
		}
	}
	return strings.Join(quoted, ".")
}

// isBareKey tells whether TOML takes the key without quotes.
func isBareKey(key string) bool {
	return key != "" && strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
