// Package session keeps a conversation with a language model as frames: one
// JSON object a line, each naming its parent, so that a conversation is a tree
// and going back means to branch, never to rewrite.
package session

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Kind says who speaks in a frame and which payload it carries.
type Kind string

// The kinds of frames.
const (
	User       Kind = "user"        // Text
	Assistant  Kind = "assistant"   // Text
	CallTool   Kind = "tool_call"   // Call
	ToolResult Kind = "tool_result" // Result
)

// Frame is one step of a conversation.
type Frame struct {
	ID     uuid.UUID `json:"id"`
	Parent uuid.UUID `json:"parent,omitzero"` // the nil UUID in a root
	Origin uuid.UUID `json:"origin,omitzero"` // the frame that a fork copied
	Time   int64     `json:"time"`            // Unix time, milliseconds
	Kind   Kind      `json:"kind"`
	Text   string    `json:"text,omitempty"`
	Call   *Call     `json:"call,omitempty"`
	Result *Result   `json:"result,omitempty"`
}

// Call is the model's wish to run a tool.
type Call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Result is what a tool answered to the call of the same id.
type Result struct {
	CallID string `json:"call_id"`
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
}

// check returns every way in which the payload does not fit the kind.
func (f *Frame) check() []error {
	var errs []error
	if f.ID == uuid.Nil {
		errs = append(errs, errors.New("frame: no id"))
	}
	speech := f.Kind == User || f.Kind == Assistant
	if !speech && f.Kind != CallTool && f.Kind != ToolResult {
		return append(errs, fmt.Errorf("frame: kind %q: want %q, %q, %q or %q",
			f.Kind, User, Assistant, CallTool, ToolResult))
	}
	if f.Text != "" && !speech {
		errs = append(errs, fmt.Errorf("frame: kind %q: unexpected text", f.Kind))
	}
	if got, want := f.Call != nil, f.Kind == CallTool; got != want {
		errs = append(errs, fmt.Errorf("frame: kind %q: call: got %t, want %t", f.Kind, got, want))
	}
	if got, want := f.Result != nil, f.Kind == ToolResult; got != want {
		errs = append(errs, fmt.Errorf("frame: kind %q: result: got %t, want %t", f.Kind, got, want))
	}
	if f.Call != nil && len(f.Call.Arguments) == 0 {
		errs = append(errs, fmt.Errorf("frame: call %q: no arguments", f.Call.ID))
	}
	return errs
}
