package session_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/benches/session"
)

// TestCanonicalJSON takes its inputs from RFC 8785 sections 3.2.2 to 3.2.4 and
// from the reference suite at github.com/cyberphone/json-canonicalization.
func TestCanonicalJSON(t *testing.T) {
	for _, test := range []struct{ name, input, want string }{
		{"literals, escapes and numbers (section 3.2.2)",
			`{ "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
			   "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
			   "literals": [null, true, false] }`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
				`"string":"€$\u000f\nA'B\"\\\\\"/"}`},
		{"names by UTF-16 code units (section 3.2.3)",
			`{ "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
			   "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
			   "\u00f6": "Latin Small Letter O With Diaeresis" }`,
			`{"\r":"Carriage Return","1":"One","` + "\u0080" + `":"Control","ö":"Latin Small Letter O With Diaeresis",` +
				`"€":"Euro Sign","😀":"Emoji: Grinning Face","` + "\ufb33" + `":"Hebrew Letter Dalet With Dagesh"}`},
		{"arrays", `[ 56, { "d": true, "10": null, "1": [ ] } ]`, `[56,{"1":[],"10":null,"d":true}]`},
		{"french", `{"peach":1,"péché":2,"pêche":3,"sin":4}`, `{"peach":1,"péché":2,"pêche":3,"sin":4}`},
		{"structures",
			`{"1":{"f":{"f":"hi","F":5} ,"\n":56.0},"10":{ },"":"empty","a":{ },"111":[ { } ],"A":{ }}`,
			`{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{}],"A":{},"a":{}}`},
		{"no normalization", `{"Unnormalized Unicode":"A\u030a"}`, "{\"Unnormalized Unicode\":\"A\u030a\"}"},
		{"weird", `{"\ud83d\ude02":1,"\ufb33":2,"</script>":3,"\u007f":4}`,
			"{\"</script>\":3,\"\u007f\":4,\"😂\":1,\"\ufb33\":2}"},
		{"short escapes", `"\b\f\n\r\t\"\\\/\u0008\u000C\u2028\u0000\u001F"`,
			`"\b\f\n\r\t\"\\/\b\f` + "\u2028" + `\u0000\u001f"`},
		{"a name that starts another", `{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},
		{"surrogates sort below U+E000", `{"\uffff":1,"\ue000":2,"\ud800\udc00":3,"\ud7ff":4}`,
			"{\"\ud7ff\":4,\"\U00010000\":3,\"\ue000\":2,\"\uffff\":1}"},
		{"scalar with white space", " \t\r\n1 ", "1"},
		{"minus zero", "[-0, -0.0, 0e99, 1e-999]", "[0,0,0,0]"},
		{"replacement character", "\"\ufffd\\ufffd\"", "\"\ufffd\ufffd\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := session.CanonicalJSON([]byte(test.input))
			if err != nil || string(got) != test.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, test.want)
			}
		})
	}
}

// TestCanonicalNumbers is the table of RFC 8785 appendix B, but for NaN and
// Infinity, which have no spelling in JSON.
func TestCanonicalNumbers(t *testing.T) {
	for _, test := range []struct {
		bits uint64
		want string
	}{
		{0x0000000000000000, "0"},
		{0x8000000000000000, "0"},
		{0x0000000000000001, "5e-324"},
		{0x8000000000000001, "-5e-324"},
		{0x7fefffffffffffff, "1.7976931348623157e+308"},
		{0xffefffffffffffff, "-1.7976931348623157e+308"},
		{0x4340000000000000, "9007199254740992"},
		{0xc340000000000000, "-9007199254740992"},
		{0x4430000000000000, "295147905179352830000"},
		{0x44b52d02c7e14af5, "9.999999999999997e+22"},
		{0x44b52d02c7e14af6, "1e+23"},
		{0x44b52d02c7e14af7, "1.0000000000000001e+23"},
		{0x444b1ae4d6e2ef4e, "999999999999999700000"},
		{0x444b1ae4d6e2ef4f, "999999999999999900000"},
		{0x444b1ae4d6e2ef50, "1e+21"},
		{0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
		{0x3eb0c6f7a0b5ed8d, "0.000001"},
		{0x41b3de4355555553, "333333333.3333332"},
		{0x41b3de4355555554, "333333333.33333325"},
		{0x41b3de4355555555, "333333333.3333333"},
		{0x41b3de4355555556, "333333333.3333334"},
		{0x41b3de4355555557, "333333333.33333343"},
		{0xbecbf647612f3696, "-0.0000033333333333333333"},
		{0x43143ff3c1cb0959, "1424953923781206.2"},
	} {
		// Any 17 digits name a double exactly; 21 are never the canonical spelling.
		input := strconv.FormatFloat(math.Float64frombits(test.bits), 'e', 20, 64)
		got, err := session.CanonicalJSON([]byte(input))
		if err != nil || string(got) != test.want {
			t.Errorf("%016x (%s): got %s, %v, want %s", test.bits, input, got, err, test.want)
		}
	}
}

func TestCanonicalNumbersKeepTheirValue(t *testing.T) {
	random := rand.New(rand.NewPCG(8785, 0))
	for range 100_000 {
		want := math.Float64frombits(random.Uint64())
		if math.IsNaN(want) || math.IsInf(want, 0) {
			continue
		}
		text, err := session.CanonicalJSON(strconv.AppendFloat(nil, want, 'g', 17, 64))
		if err != nil {
			t.Fatal(err)
		}
		got, err := strconv.ParseFloat(string(text), 64)
		if err != nil || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%016x: got %s (%016x), %v", math.Float64bits(want), text, math.Float64bits(got), err)
		}
	}
}

func TestCanonicalJSONErrors(t *testing.T) {
	for _, test := range []struct{ name, input, want string }{
		{"empty", ``, "unexpected end of JSON input"},
		{"two values", `1 2`, "offset 2: invalid character '2' after top-level value"},
		{"no JSON", `{'a':1}`, `offset 1: invalid character '\''`},
		{"leading zero", `01`, "invalid character '1' after top-level value"},
		{"control character", "\"\n\"", `invalid character '\n' in string literal`},
		{"name twice", `[{"a":1,"\u0061":2}]`, `offset 1: object: name "a" stands twice`},
		{"name twice, apart", `{"b":1,"a":1,"c":1,"b":2}`, `offset 0: object: name "b" stands twice`},
		{"invalid UTF-8", "[\"a\xff\"]", "offset 3: invalid UTF-8"},
		{"high surrogate at the end", `"\ud83d"`, "offset 1: string: lone surrogate U+D83D"},
		{"high surrogate before a letter", `"ab\ud83dx"`, "offset 3: string: lone surrogate U+D83D"},
		{"high surrogate before an escape", `"\ud83d\n"`, "offset 1: string: lone surrogate U+D83D"},
		{"low surrogate first", `{"\ude02\ud83d":1}`, "offset 2: string: lone surrogate U+DE02"},
		{"infinity", `[1e400]`, "offset 1: number 1e400: beyond a double"},
		{"too deep", strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), "exceeded max depth"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := session.CanonicalJSON([]byte(test.input))
			if err == nil || !strings.HasPrefix(err.Error(), "canonical json: ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %.80s, error %v, want in it: %s", got, err, test.want)
			}
		})
	}
}

// FuzzCanonicalJSON: the output is its own canonical form and means, to the
// standard library, the value that the input means.
func FuzzCanonicalJSON(f *testing.F) {
	f.Add(nested(2))
	f.Add([]byte(`{"b":[1e-7,-0,1E+2],"a":"\ud83d\ude02\/\u001f","\ufb33":null}`))
	f.Add(binary.BigEndian.AppendUint64([]byte(`"`), 0x22f09f9882efacb3))
	f.Fuzz(func(t *testing.T, input []byte) {
		once, err := session.CanonicalJSON(input)
		if err != nil {
			return
		}
		twice, err := session.CanonicalJSON(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("not idempotent: %q, then %q, %v", once, twice, err)
		}
		var before, after any
		if err := errors.Join(json.Unmarshal(input, &before), json.Unmarshal(once, &after)); err != nil {
			t.Fatalf("input %q, output %q: %v", input, once, err)
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%q means %v, %q means %v", input, before, once, after)
		}
	})
}
