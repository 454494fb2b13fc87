package sse_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/perfpin/perfpin/benches/sse"
)

// providers are the shapes in which models stream an answer of text and one tool
// call; testdata has a stream of each.
//
//   - anthropic: named events, one small JSON object each, and pings
//   - openai: data alone, larger objects of which little changes, a comment to
//     open and a [DONE] to end
//   - gemini: few events of many words, CRLF line ends
var providers = []string{"anthropic", "openai", "gemini"}

func stream(tb testing.TB, provider string) []byte {
	tb.Helper()
	text, err := os.ReadFile("testdata/" + provider + ".sse")
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func BenchmarkDecode(b *testing.B) {
	for _, provider := range providers {
		b.Run(provider, func(b *testing.B) {
			text := stream(b, provider)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := sse.Decode(bytes.NewReader(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
