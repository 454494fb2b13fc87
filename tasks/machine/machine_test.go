package machine

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestFindModel(t *testing.T) {
	for info, want := range map[string]string{
		"processor\t: 0\nmodel name\t: Fast(R) CPU: 2 GHz\n\nmodel name\t: Other\n": "Fast(R) CPU: 2 GHz",
		"processor\t: 0\nBogoMIPS\t: 50.00\n":                                       "",
		"":                                                                          "",
	} {
		if got := findValue(info, "model name", ":"); got != want {
			t.Errorf("%q: got %q, want %q", info, got, want)
		}
	}
}

func TestStringLeavesOutWhatIsNotKnown(t *testing.T) {
	for want, m := range map[string]Machine{
		"":                             {},
		"1 processor":                  {Processors: 1},
		"A, 2 processors, Linux 6.1.0": {CPU: "A", Processors: 2, Kernel: "Linux 6.1.0"},
		"A, Linux 6.1.0":               {CPU: "A", Kernel: "Linux 6.1.0"},
	} {
		if got := m.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestHereHasNoHostName(t *testing.T) {
	here := Here()
	if here.Processors < 1 {
		t.Errorf("got %d processors", here.Processors)
	}
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(here)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(` ",:{}`, r) }) {
		if word == name {
			t.Errorf("%s: holds the host's name, %s", text, name)
		}
	}
}
