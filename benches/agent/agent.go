// Package agent keeps one conversation with a language model: it records what is
// said, and builds each request from the record with the secrets masked.
package agent

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/perfpin/perfpin/benches/session"
)

// Config is what an Agent starts from. All but System, History and Mask is
// required.
type Config struct {
	Model     string
	MaxTokens int    // the longest reply, in tokens of the model
	System    string // instructions that stand before the conversation
	History   []session.Frame
	Mask      *Mask // nil masks nothing
	Journal   io.Writer
	Mint      *session.Minter
}

// Agent is not safe for concurrent use.
type Agent struct {
	config Config
	frames []session.Frame
}

// New returns an agent that goes on where History ends. History is one chain as
// Tree.Path returns it; the error holds one line for each frame that does not
// follow the one before it, and then their number.
func New(config Config) (*Agent, error) {
	var errs []error
	parent := uuid.Nil
	for i, frame := range config.History {
		if frame.Parent != parent {
			errs = append(errs, fmt.Errorf("agent: history: frame %d: parent: got %s, want %s", i, frame.Parent, parent))
		}
		parent = frame.ID
	}
	if len(errs) > 0 {
		return nil, errors.Join(append(errs, fmt.Errorf("agent: history: %d failures", len(errs)))...)
	}
	return &Agent{config: config, frames: slices.Clone(config.History)}, nil
}

// Frames returns the conversation so far. It is shared until the next call.
func (a *Agent) Frames() []session.Frame { return a.frames }

// BuildRequest records what the user says and returns the body of the request
// that asks the model for its reply. The journal and the frames keep secrets as
// they are; the body has them masked. On error nothing was recorded.
func (a *Agent) BuildRequest(text string) ([]byte, error) {
	said, err := a.frame(session.User, text)
	if err != nil {
		return nil, err
	}
	body, err := buildBody(&a.config, append(a.frames, said))
	if err != nil {
		return nil, fmt.Errorf("agent: build request: %w", err)
	}
	if err := a.record(said); err != nil {
		return nil, err
	}
	return body, nil
}

// RecordReply gathers the deltas of the model's reply, records it and returns it.
// A reply that breaks off is not recorded: to the model it was never said.
func (a *Agent) RecordReply(deltas iter.Seq2[string, error]) (string, error) {
	var reply strings.Builder
	for delta, err := range deltas {
		if err != nil {
			return "", fmt.Errorf("agent: reply broke off after %d bytes: %w", reply.Len(), err)
		}
		reply.WriteString(delta)
	}
	said, err := a.frame(session.Assistant, reply.String())
	if err != nil {
		return "", err
	}
	return reply.String(), a.record(said)
}

// Rewind goes back to the first n frames, so that the next one branches off
// there. The journal keeps what was said.
func (a *Agent) Rewind(n int) error {
	if n < 0 || n > len(a.frames) {
		return fmt.Errorf("agent: rewind: got %d, want 0 to %d frames", n, len(a.frames))
	}
	a.frames = a.frames[:n]
	return nil
}

// frame returns the next frame of the chain, not yet recorded.
func (a *Agent) frame(kind session.Kind, text string) (session.Frame, error) {
	id, err := a.config.Mint.Mint()
	if err != nil {
		return session.Frame{}, fmt.Errorf("agent: %w", err)
	}
	frame := session.Frame{ID: id, Time: session.Millis(id), Kind: kind, Text: text}
	if n := len(a.frames); n > 0 {
		frame.Parent = a.frames[n-1].ID
	}
	return frame, nil
}

func (a *Agent) record(frame session.Frame) error {
	if err := session.Encode(a.config.Journal, []session.Frame{frame}); err != nil {
		return fmt.Errorf("agent: journal: %w", err)
	}
	a.frames = append(a.frames, frame)
	return nil
}
