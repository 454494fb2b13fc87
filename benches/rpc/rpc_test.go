package rpc_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/perfpin/perfpin/benches/rpc"
)

// newServer has the methods of the specification's examples, ping, and those that
// fail in each way.
func newServer(tb testing.TB) *rpc.Server {
	server := rpc.NewServer()
	for method, handler := range map[string]rpc.Handler{
		"ping":     func(context.Context, json.RawMessage) (any, error) { return "pong", nil },
		"nothing":  func(context.Context, json.RawMessage) (any, error) { return nil, nil },
		"params":   func(_ context.Context, params json.RawMessage) (any, error) { return string(params), nil },
		"subtract": subtract,
		"broken":   func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("disk: full") },
		"refused": func(context.Context, json.RawMessage) (any, error) {
			return nil, fmt.Errorf("no: %w", &rpc.Error{Code: 7, Message: "refused", Data: []int{1}})
		},
		"infinite": func(context.Context, json.RawMessage) (any, error) { return math.Inf(1), nil },
		"infinite_data": func(context.Context, json.RawMessage) (any, error) {
			return nil, &rpc.Error{Code: 8, Message: "too much", Data: math.Inf(1)}
		},
		"context": func(ctx context.Context, _ json.RawMessage) (any, error) { return nil, ctx.Err() },
	} {
		if err := server.Handle(method, handler); err != nil {
			tb.Fatal(err)
		}
	}
	return server
}

func subtract(_ context.Context, params json.RawMessage) (any, error) {
	var list [2]float64
	if err := json.Unmarshal(params, &list); err == nil {
		return list[0] - list[1], nil
	}
	var named struct{ Minuend, Subtrahend float64 }
	if err := json.Unmarshal(params, &named); err != nil {
		return nil, &rpc.Error{Code: rpc.InvalidParams, Message: "Invalid params", Data: err.Error()}
	}
	return named.Minuend - named.Subtrahend, nil
}

// TestHandleLine has the examples of the specification's section 7 and its rules.
// An answer's data is advice to people and not compared.
func TestHandleLine(t *testing.T) {
	const (
		notJSON  = `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}`
		notValid = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":null}`
	)
	server := newServer(t)
	for _, test := range []struct{ name, line, want string }{
		{"list of params", `{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}`, `{"jsonrpc":"2.0","result":19,"id":1}`},
		{"named params", `{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}`, `{"jsonrpc":"2.0","result":19,"id":3}`},
		{"notification", `{"jsonrpc": "2.0", "method": "ping", "params": [1,2,3,4,5]}`, ``},
		{"notification of an unknown method", `{"jsonrpc": "2.0", "method": "foobar"}`, ``},
		{"notification that fails", `{"jsonrpc": "2.0", "method": "broken"}`, ``},
		{"unknown method", `{"jsonrpc": "2.0", "method": "foobar", "id": "1"}`, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":"1"}`},
		{"invalid JSON", `{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]`, notJSON},
		{"invalid request", `{"jsonrpc": "2.0", "method": 1, "params": "bar"}`, notValid},
		{"batch of invalid JSON", `[ {"jsonrpc": "2.0", "method": "ping", "id": "1"}, {"jsonrpc": "2.0", "method"`, notJSON},
		{"empty batch", ` [] `, notValid},
		{"batch of one that is none", `[1]`, `[` + notValid + `]`},
		{"batch of three that are none", `[1,[],null]`, `[` + notValid + `,` + notValid + `,` + notValid + `]`},
		{"batch", `[{"jsonrpc":"2.0","method":"ping","id":"1"},{"jsonrpc":"2.0","method":"ping"},{"foo":"boo"},{"jsonrpc":"2.0","method":"foo.get","id":"5"},{"jsonrpc":"2.0","method":"nothing","id":9}]`,
			`[{"jsonrpc":"2.0","result":"pong","id":"1"},` + notValid + `,{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":"5"},{"jsonrpc":"2.0","result":null,"id":9}]`},
		{"batch of notifications", `[{"jsonrpc":"2.0","method":"ping"},{"jsonrpc":"2.0","method":"ping"}]`, ``},

		{"result null", `{"jsonrpc":"2.0","method":"nothing","id":1}`, `{"jsonrpc":"2.0","result":null,"id":1}`},
		{"id null is no notification", `{"jsonrpc":"2.0","method":"ping","id":null}`, `{"jsonrpc":"2.0","result":"pong","id":null}`},
		{"id comes back as it was", `{"jsonrpc":"2.0","method":"ping","id":-1.50e3}`, `{"jsonrpc":"2.0","result":"pong","id":-1.50e3}`},
		{"id is an object", `{"jsonrpc":"2.0","method":"ping","id":{}}`, notValid},
		{"id is true", `{"jsonrpc":"2.0","method":"ping","id":true}`, notValid},
		{"id of an invalid request", `{"jsonrpc":"1.0","method":"ping","id":5}`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":5}`},
		{"no version", `{"method":"ping","id":null}`, notValid},
		{"version is a number", `{"jsonrpc":2.0,"method":"ping"}`, notValid},
		{"no method", `{"jsonrpc":"2.0"}`, notValid},
		{"names differ by case", `{"jsonrpc":"2.0","Method":"ping"}`, notValid},
		{"params null", `{"jsonrpc":"2.0","method":"ping","params":null}`, notValid},
		{"params as they are", `{"jsonrpc":"2.0","method":"params","params":[1, 2],"id":1}`, `{"jsonrpc":"2.0","result":"[1, 2]","id":1}`},
		{"no params", `{"jsonrpc":"2.0","method":"params","id":1}`, `{"jsonrpc":"2.0","result":"","id":1}`},
		{"invalid params", `{"jsonrpc":"2.0","method":"subtract","params":["a"],"id":1}`, `{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params"},"id":1}`},
		{"handler fails", `{"jsonrpc":"2.0","method":"broken","id":1}`, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}`},
		{"handler's own error", `{"jsonrpc":"2.0","method":"refused","id":1}`, `{"jsonrpc":"2.0","error":{"code":7,"message":"refused"},"id":1}`},
		{"result beyond JSON", `{"jsonrpc":"2.0","method":"infinite","id":1}`, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}`},
		{"error data beyond JSON", `{"jsonrpc":"2.0","method":"infinite_data","id":1}`, `{"jsonrpc":"2.0","error":{"code":8,"message":"too much"},"id":1}`},
		{"empty line", ``, notJSON},
		{"two values", `{} {}`, notJSON},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"\xff\"}", notJSON},
		{"escaped method", `{"jsonrpc":"2.0","method":"\u0070ing","id":1}`, `{"jsonrpc":"2.0","result":"pong","id":1}`},
		{"a scalar", `"ping"`, notValid},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := server.HandleLine(context.Background(), []byte(test.line))
			if (got == nil) != (test.want == "") {
				t.Fatalf("got %s, want %s", got, test.want)
			}
			if without := withoutData(t, got); without != test.want {
				t.Errorf("got  %s\nwant %s", without, test.want)
			}
		})
	}
}

// withoutData drops the data of errors and keeps all else byte by byte.
func withoutData(t *testing.T, answer []byte) string {
	t.Helper()
	for {
		start := bytes.Index(answer, []byte(`,"data":`))
		if start < 0 {
			return string(answer)
		}
		tail := json.NewDecoder(bytes.NewReader(answer[start+len(`,"data":`):]))
		var data any
		if err := tail.Decode(&data); err != nil {
			t.Fatalf("%s: data: %v", answer, err)
		}
		end := start + len(`,"data":`) + int(tail.InputOffset())
		answer = append(answer[:start:start], answer[end:]...)
	}
}

func TestErrorData(t *testing.T) {
	server := newServer(t)
	for method, want := range map[string]string{
		"foobar":        `"data":"foobar"`,
		"broken":        `"data":"disk: full"`,
		"refused":       `"data":[1]`,
		"infinite":      `"data":"result of infinite: json: unsupported value: +Inf"`,
		"infinite_data": `"data":"data: json: unsupported value: +Inf"`,
	} {
		got := server.HandleLine(context.Background(), []byte(`{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`))
		if !strings.Contains(string(got), want) {
			t.Errorf("%s: got %s, want in it %s", method, got, want)
		}
	}
}

func TestHandlerGetsTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := newServer(t).HandleLine(ctx, []byte(`{"jsonrpc":"2.0","id":1,"method":"context"}`))
	if !strings.Contains(string(got), context.Canceled.Error()) {
		t.Errorf("got %s, want %v in it", got, context.Canceled)
	}
}

func TestHandleRefuses(t *testing.T) {
	server := newServer(t)
	for _, method := range []string{"ping", "rpc.discover"} {
		if err := server.Handle(method, nil); err == nil || !strings.Contains(err.Error(), method) {
			t.Errorf("%s: got error %v, want one that names it", method, err)
		}
	}
}

func TestServe(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":%d,"method":"ping"}` + "\n"
	in := fmt.Sprintf(ping, 1) + `{"jsonrpc":"2.0","method":"ping"}` + "\n\r\n" + strings.TrimSuffix(fmt.Sprintf(ping, 2), "\n")
	var out bytes.Buffer
	if err := newServer(t).Serve(context.Background(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	want := `{"jsonrpc":"2.0","result":"pong","id":1}
{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error","data":"unexpected end of JSON input"},"id":null}
{"jsonrpc":"2.0","result":"pong","id":2}
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestServeErrors(t *testing.T) {
	server := newServer(t)
	ping := "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
	for name, test := range map[string]struct {
		in   io.Reader
		out  io.Writer
		want error
	}{
		"read":      {iotest.ErrReader(io.ErrUnexpectedEOF), io.Discard, io.ErrUnexpectedEOF},
		"write":     {strings.NewReader(ping), closed{}, io.ErrClosedPipe},
		"long line": {strings.NewReader(strings.Repeat("x", rpc.MaxLine+1)), io.Discard, bufio.ErrTooLong},
	} {
		if err := server.Serve(context.Background(), test.in, test.out); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// FuzzHandleLine: every answer is one line of JSON: a response, or as many as
// there were requests at most, each with version, id and either result or error.
func FuzzHandleLine(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`[{"jsonrpc":"2.0","method":"params","params":{"a":"\n"},"id":"\u0000"},1,{"jsonrpc":"2.0","method":"ping"}]`,
		`{"jsonrpc":"2.0","id":null,"method":"infinite_data"}`, `[]`, `{`,
	} {
		f.Add([]byte(line))
	}
	server := newServer(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		answer := server.HandleLine(context.Background(), line)
		if answer == nil {
			return
		}
		if bytes.ContainsAny(answer, "\r\n") {
			t.Errorf("%q: got %q, want one line", line, answer)
		}
		answers := []json.RawMessage{answer}
		if answer[0] == '[' {
			var requests []json.RawMessage
			if err := errors.Join(json.Unmarshal(line, &requests), json.Unmarshal(answer, &answers)); err != nil {
				t.Fatalf("%q: got %s: %v", line, answer, err)
			}
			if len(answers) == 0 || len(answers) > len(requests) {
				t.Errorf("%q: got %d responses to %d requests", line, len(answers), len(requests))
			}
		}
		for _, one := range answers {
			checkResponse(t, one)
		}
	})
}

func checkResponse(t *testing.T, text json.RawMessage) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	_, hasResult := members["result"]
	_, hasError := members["error"]
	_, hasID := members["id"]
	if string(members["jsonrpc"]) != `"2.0"` || !hasID || hasResult == hasError || len(members) != 3 {
		t.Errorf("got %s, want jsonrpc, id, and either result or error", text)
	}
}
