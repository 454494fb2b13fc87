package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/benches/agent"
)

func newMask(tb testing.TB, secrets ...string) *agent.Mask {
	tb.Helper()
	var mask agent.Mask
	for _, secret := range secrets {
		if err := mask.Register(secret); err != nil {
			tb.Fatal(err)
		}
	}
	return &mask
}

func TestMaskText(t *testing.T) {
	for _, test := range []struct {
		name    string
		secrets []string
		text    string
		want    string
	}{
		{"none registered", nil, "password", "password"},
		{"not in it", []string{secret}, "tok-4f81c2d97ab35e6", "tok-4f81c2d97ab35e6"},
		{"twice", []string{secret}, secret + "," + secret, "[masked],[masked]"},
		{"prefix registered first", []string{"password", "password123"}, "password123 password", "[masked] [masked]"},
		{"prefix registered last", []string{"password123", "password"}, "password123 password", "[masked] [masked]"},
		{"registered twice", []string{"password", "password"}, "password", "[masked]"},
		{"several", []string{"aaaaaaaa", "bbbbbbbb"}, "aaaaaaaabbbbbbbb", "[masked][masked]"},
		{"several lines", []string{"-- KEY --\nabc\n"}, "a\n-- KEY --\nabc\nb", "a\n[masked]b"},
	} {
		if got := newMask(t, test.secrets...).Text(test.text); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	if got := (*agent.Mask)(nil).Text("password"); got != "password" {
		t.Errorf("nil mask: got %q, want the text", got)
	}
}

func TestMaskJSON(t *testing.T) {
	for _, test := range []struct{ name, secret, input, want string }{
		{"untouched bytes", secret, "{ \"a\" : 1e3, \"\\u0062\": [ null, true ] }", "{ \"a\" : 1e3, \"\\u0062\": [ null, true ] }"},
		{"string", "password", `["<password>", 12345678901234567890]`, `["<[masked]>",12345678901234567890]`},
		{"escaped", `pass"word\`, `{"a":"\u0070ass\"word\\"}`, `{"a":"[masked]"}`},
		{"name", "password", `{"password":1}`, `{"[masked]":1}`},
		{"number", "12345678", `{"a":[1.234567812345678]}`, `{"a":["1.2345678[masked]"]}`},
		{"names that become equal", "password", `{"xpassword":1,"x":2,"x[masked]":3}`, `{"x":2,"x[masked]":1}`},
		{"deep", "password", `{"a":{"b":[{"c":"password"}]}}`, `{"a":{"b":[{"c":"[masked]"}]}}`},
	} {
		got, err := newMask(t, test.secret).JSON([]byte(test.input))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, %v, want %s", test.name, got, err, test.want)
		}
	}
	if got, err := newMask(t).JSON([]byte("{")); string(got) != "{" || err != nil {
		t.Errorf("nothing to mask: got %s, %v, want the input", got, err)
	}
}

func TestShortSecret(t *testing.T) {
	err := new(agent.Mask).Register("hunter2")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got error %v, want one that does not tell the secret", err)
	}
}

// FuzzMaskJSON: valid JSON stays valid, no part of it tells the secret, and what
// was masked once has nothing left to mask.
func FuzzMaskJSON(f *testing.F) {
	f.Add([]byte(`{"a":["\u0070assword",12345678],"password":null}`))
	f.Add([]byte(`"passpasswordword"`))
	mask := newMask(f, "password", "12345678")
	f.Fuzz(func(t *testing.T, input []byte) {
		if !json.Valid(input) {
			return
		}
		once, err := mask.JSON(input)
		if err != nil || !json.Valid(once) {
			t.Fatalf("%s: got %s, %v, want valid JSON", input, once, err)
		}
		var value any
		if err := json.Unmarshal(once, &value); err == nil {
			plain, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(plain), "password") {
				t.Errorf("%s: got %s, which tells the secret", input, once)
			}
		}
		if twice, err := mask.JSON(once); err != nil || string(twice) != string(once) {
			t.Errorf("%s: got %s, then %s, %v", input, once, twice, err)
		}
	})
}
