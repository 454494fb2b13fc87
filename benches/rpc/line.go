package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// response is sent with exactly one of Result and Error.
type response struct {
	Version string          `json:"jsonrpc"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
	ID      json.RawMessage `json:"id"`
}

// request is a request object whose members were found to be valid.
type request struct {
	method string
	params json.RawMessage
	id     json.RawMessage // nil in a notification
}

// HandleLine answers one request or one batch. The answer is a line without its
// end, or nil where nothing may be sent: to a notification, or to a batch of
// them. It does not keep line.
func (s *Server) HandleLine(ctx context.Context, line []byte) []byte {
	if !utf8.Valid(line) {
		return refuse(nil, ParseError, "Parse error", "invalid UTF-8").encode()
	}
	if !bytes.HasPrefix(bytes.TrimLeft(line, " \t\r\n"), []byte("[")) {
		return s.answer(ctx, line)
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(line, &batch); err != nil {
		return refuse(nil, ParseError, "Parse error", err.Error()).encode()
	}
	if len(batch) == 0 {
		return refuse(nil, InvalidRequest, "Invalid Request", "empty batch").encode()
	}
	var answers [][]byte
	for _, one := range batch {
		if answer := s.answer(ctx, one); answer != nil {
			answers = append(answers, answer)
		}
	}
	if answers == nil {
		return nil
	}
	return slices.Concat([]byte("["), bytes.Join(answers, []byte(",")), []byte("]"))
}

// answer runs one request and returns nil if it was a notification.
func (s *Server) answer(ctx context.Context, text []byte) []byte {
	request, refusal := parse(text)
	if refusal != nil {
		return refusal.encode()
	}
	answer := s.run(ctx, request)
	if request.id == nil {
		return nil
	}
	answer.Version, answer.ID = "2.0", request.id
	return answer.encode()
}

// run returns a response that lacks but its version and id.
func (s *Server) run(ctx context.Context, request request) *response {
	handler, ok := s.methods[request.method]
	if !ok {
		return &response{Error: &Error{Code: MethodNotFound, Message: "Method not found", Data: request.method}}
	}
	result, err := handler(ctx, request.params)
	if err != nil {
		return &response{Error: asError(err)}
	}
	encoded, err := json.Marshal(result)
	if err != nil {
		return &response{Error: asError(fmt.Errorf("result of %s: %w", request.method, err))}
	}
	return &response{Result: encoded}
}

// parse checks a request object. The names of members differ by case (section
// 4), so they are looked up in a map: the fields of a struct would match any.
func parse(text []byte) (request, *response) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		var wrongType *json.UnmarshalTypeError
		if errors.As(err, &wrongType) {
			return request{}, refuse(nil, InvalidRequest, "Invalid Request", "not an object")
		}
		return request{}, refuse(nil, ParseError, "Parse error", err.Error())
	}
	id, hasID := members["id"]
	if hasID && !hasKind(id, `"-0123456789n`) {
		return request{}, refuse(nil, InvalidRequest, "Invalid Request", "id: want a string, a number or null")
	}
	version, err := stringMember(members, "jsonrpc")
	if err == nil && version != "2.0" {
		err = fmt.Errorf("jsonrpc: got %q, want %q", version, "2.0")
	}
	if err != nil {
		return request{}, refuse(id, InvalidRequest, "Invalid Request", err.Error())
	}
	method, err := stringMember(members, "method")
	if err != nil {
		return request{}, refuse(id, InvalidRequest, "Invalid Request", err.Error())
	}
	params, hasParams := members["params"]
	if hasParams && !hasKind(params, "[{") {
		return request{}, refuse(id, InvalidRequest, "Invalid Request", "params: want an array or an object")
	}
	return request{method: method, params: params, id: id}, nil
}

func stringMember(members map[string]json.RawMessage, name string) (string, error) {
	raw := members[name]
	if !hasKind(raw, `"`) {
		return "", fmt.Errorf("%s: want a string", name)
	}
	var value string
	err := json.Unmarshal(raw, &value)
	return value, err
}

// hasKind tells a JSON value's type by its first byte, one of first.
func hasKind(raw json.RawMessage, first string) bool {
	return len(raw) > 0 && strings.IndexByte(first, raw[0]) >= 0
}

// refuse answers what is no valid request, and so no notification either: its id
// is null where none was found (section 5).
func refuse(id json.RawMessage, code int, message, detail string) *response {
	if id == nil {
		id = json.RawMessage("null")
	}
	return &response{Version: "2.0", Error: &Error{Code: code, Message: message, Data: detail}, ID: id}
}

// encode returns the response as JSON on one line. What a handler put into the
// Data of its Error can be beyond JSON; the reason then takes its place.
func (r *response) encode() []byte {
	line, err := json.Marshal(r)
	if err != nil {
		r.Error = &Error{Code: r.Error.Code, Message: r.Error.Message, Data: "data: " + err.Error()}
		line, _ = json.Marshal(r)
	}
	return line
}
