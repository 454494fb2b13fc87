package agent

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/perfpin/perfpin/benches/session"
)

// request is the body in the shape of a messages API: turns of the user and the
// assistant that alternate, each a list of blocks.
type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	Stream    bool      `json:"stream"`
	System    string    `json:"system,omitempty"`
	Messages  []message `json:"messages"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a text, a tool_use or a tool_result.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
}

// buildBody masks every frame and joins those of one role that follow each other.
func buildBody(config *Config, frames []session.Frame) ([]byte, error) {
	messages := make([]message, 0, len(frames))
	for i := range frames {
		frame := &frames[i]
		block, err := maskedBlock(config.Mask, frame)
		if err != nil {
			return nil, fmt.Errorf("frame %d: %w", i, err)
		}
		if block.Type == "text" && block.Text == "" {
			continue // the APIs refuse a text block without text
		}
		role := "user"
		if frame.Kind == session.Assistant || frame.Kind == session.CallTool {
			role = "assistant"
		}
		if n := len(messages); n == 0 || messages[n-1].Role != role {
			messages = append(messages, message{Role: role})
		}
		last := &messages[len(messages)-1]
		last.Content = append(last.Content, block)
	}
	return marshal(request{
		Model:     config.Model,
		MaxTokens: config.MaxTokens,
		Stream:    true,
		System:    config.Mask.Text(config.System),
		Messages:  messages,
	})
}

func maskedBlock(mask *Mask, frame *session.Frame) (block, error) {
	switch frame.Kind {
	case session.User, session.Assistant:
		return block{Type: "text", Text: mask.Text(frame.Text)}, nil
	case session.CallTool:
		input, err := mask.JSON(frame.Call.Arguments)
		if err != nil {
			return block{}, fmt.Errorf("call %s: arguments: %w", frame.Call.ID, err)
		}
		return block{Type: "tool_use", ID: frame.Call.ID, Name: frame.Call.Name, Input: input}, nil
	case session.ToolResult:
		return block{
			Type:      "tool_result",
			ToolUseID: frame.Result.CallID,
			Content:   mask.Text(frame.Result.Text),
			IsError:   frame.Result.Failed,
		}, nil
	}
	return block{}, fmt.Errorf("kind %q: no place in a request", frame.Kind)
}

// marshal is json.Marshal without its escapes for HTML, which would make tokens
// of every < and & in code.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
