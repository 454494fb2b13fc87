package session_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/benches/session"
)

var shapes = []struct {
	name  string
	build func(testing.TB, int) []session.Frame
}{
	{"linear", linear},
	{"tool_calls", toolCalls},
}

func BenchmarkEncode(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name+"_1000", func(b *testing.B) {
			frames := shape.build(b, 1000)
			b.SetBytes(int64(len(encode(b, frames))))
			b.ReportAllocs()
			for b.Loop() {
				if err := session.Encode(io.Discard, frames); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name+"_1000", func(b *testing.B) {
			lines := encode(b, shape.build(b, 1000))
			b.SetBytes(int64(len(lines)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := session.Decode("bench", bytes.NewReader(lines)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFromFrames(b *testing.B) {
	b.Run("linear_1000", func(b *testing.B) {
		frames := linear(b, 1000)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := session.FromFrames(frames); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkForkAt(b *testing.B) {
	b.Run("linear_1000", func(b *testing.B) {
		frames := linear(b, 1000)
		tree, err := session.FromFrames(frames)
		if err != nil {
			b.Fatal(err)
		}
		mint := newMinter()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := tree.ForkAt(frames[999].ID, mint); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCanonicalJSON(b *testing.B) {
	b.Run("nested", func(b *testing.B) {
		text := nested(4)
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := session.CanonicalJSON(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// nested returns objects in objects, levels deep, six members each, the names in
// the reverse of the canonical order and the leaves of every type.
func nested(levels int) []byte {
	leaves := []string{`1e21`, `-0.000001234500`, `"caf\u00e9 \ud83d\ude02\n"`, `[ true, null ]`, `333333333.33333329`, `{ }`}
	var b strings.Builder
	var write func(level int)
	write = func(level int) {
		b.WriteString("{\n")
		for i := 5; i >= 0; i-- {
			fmt.Fprintf(&b, "%s\"%c-name\" : ", strings.Repeat("  ", levels-level+1), 'a'+i)
			if level > 1 {
				write(level - 1)
			} else {
				b.WriteString(leaves[i])
			}
			if i > 0 {
				b.WriteString(" ,\n")
			}
		}
		b.WriteString(" }")
	}
	write(levels)
	return []byte(b.String())
}
