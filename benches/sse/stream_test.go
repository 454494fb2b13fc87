package sse_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/benches/sse"
)

// delta is what one event adds to the answer.
type delta struct{ text, arguments string }

// TestStreams puts the answers of the three providers together again.
func TestStreams(t *testing.T) {
	const arguments = `{"path": "sse/lines.go", "range": [40, 88], "match": "after\"CR\""}`
	for _, test := range []struct {
		provider string
		read     func(t *testing.T, event sse.Event) delta
		events   int
	}{
		{"anthropic", anthropic, 129},
		{"openai", openai, 152},
		{"gemini", gemini, 14},
	} {
		t.Run(test.provider, func(t *testing.T) {
			events, err := sse.Decode(strings.NewReader(string(stream(t, test.provider))))
			if err != nil {
				t.Fatal(err)
			}
			var got delta
			for _, event := range events {
				add := test.read(t, event)
				got.text += add.text
				got.arguments += add.arguments
			}
			if len(events) != test.events {
				t.Errorf("got %d events, want %d", len(events), test.events)
			}
			for _, want := range []string{"I'll look at the parser", "naïve, 東京 and 👩‍💻 pass", "buf = buf[1:]\n}\n```\n\n"} {
				if !strings.Contains(got.text, want) {
					t.Errorf("got text %q, want in it %q", got.text, want)
				}
			}
			if got.arguments != arguments {
				t.Errorf("got arguments %s, want %s", got.arguments, arguments)
			}
		})
	}
}

func anthropic(t *testing.T, event sse.Event) delta {
	var payload struct {
		Type  string
		Delta struct {
			Text        string
			PartialJSON string `json:"partial_json"`
		}
	}
	unmarshal(t, event.Data, &payload)
	if payload.Type != event.Type {
		t.Errorf("got event %q, want %q as in its data", event.Type, payload.Type)
	}
	return delta{payload.Delta.Text, payload.Delta.PartialJSON}
}

func openai(t *testing.T, event sse.Event) (add delta) {
	if event.Data == "[DONE]" {
		return delta{}
	}
	var payload struct {
		Choices []struct {
			Delta struct {
				Content   string
				ToolCalls []struct {
					Function struct{ Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	unmarshal(t, event.Data, &payload)
	for _, choice := range payload.Choices {
		add.text += choice.Delta.Content
		for _, call := range choice.Delta.ToolCalls {
			add.arguments += call.Function.Arguments
		}
	}
	return add
}

func gemini(t *testing.T, event sse.Event) (add delta) {
	var payload struct {
		Candidates []struct {
			Content struct {
				Parts []struct {
					Text         string
					FunctionCall struct{ Args json.RawMessage }
				}
			}
		}
	}
	unmarshal(t, event.Data, &payload)
	for _, candidate := range payload.Candidates {
		for _, part := range candidate.Content.Parts {
			add.text += part.Text
			add.arguments += string(part.FunctionCall.Args)
		}
	}
	return add
}

func unmarshal(t *testing.T, data string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(data), into); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}
