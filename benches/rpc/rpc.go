// Package rpc answers JSON-RPC 2.0 requests, one line in and one line out:
// https://www.jsonrpc.org/specification
package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxLine is the longest line that Serve reads, in bytes.
const MaxLine = 4 << 20

// The codes that the specification defines (section 5.1).
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	InternalError  = -32603
)

// Error is an error object. A handler that returns one, wrapped or not, sends it
// as it is.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string {
	if e.Data == nil {
		return fmt.Sprintf("rpc: code %d: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("rpc: code %d: %s: %v", e.Code, e.Message, e.Data)
}

// Handler runs one method. Its params are an array, an object or, where the
// request has none, nil. Its result is marshalled to JSON; the result of a
// notification is dropped. An error that is no *Error is sent as InternalError.
type Handler func(ctx context.Context, params json.RawMessage) (result any, err error)

// Server answers requests for the methods it was given. Add all methods before
// the first request; from then on it is safe for concurrent use.
type Server struct {
	methods map[string]Handler
}

// NewServer returns a Server without methods.
func NewServer() *Server {
	return &Server{methods: make(map[string]Handler)}
}

// Handle adds a method. Names that start with "rpc." belong to the protocol
// (section 4), and no name can be added twice.
func (s *Server) Handle(method string, handler Handler) error {
	if strings.HasPrefix(method, "rpc.") {
		return fmt.Errorf("rpc: method %q: names that start with \"rpc.\" are reserved", method)
	}
	if _, ok := s.methods[method]; ok {
		return fmt.Errorf("rpc: method %q: already handled", method)
	}
	s.methods[method] = handler
	return nil
}

// Serve answers the lines of r on w until r ends or a read or write fails. The
// requests of a connection are run one after the other, in their order.
func (s *Server) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), MaxLine)
	for lines.Scan() {
		answer := s.HandleLine(ctx, lines.Bytes())
		if answer == nil {
			continue
		}
		if _, err := w.Write(append(answer, '\n')); err != nil {
			return fmt.Errorf("rpc: write response: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("rpc: read request: %w", err)
	}
	return nil
}

// asError returns what to send for a handler's error.
func asError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	return &Error{Code: InternalError, Message: "Internal error", Data: err.Error()}
}
