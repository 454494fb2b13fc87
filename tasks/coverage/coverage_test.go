package coverage

import (
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := Parse("c.txt", []byte("mode: set\nm/a b/x:y.go:1.2,3.4 5 0\nm/a b/x:y.go:1.2,3.4 5 7\nm/z.go:1.1,1.2 0 18446744073709551615\n"))
	want := Profile{{"m/a b/x:y.go", "1.2,3.4", 5}: true, {"m/z.go", "1.1,1.2", 0}: true}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v and %v, want %v", got, err, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"m/a.go:1.2,3.4 5 0":                  "c.txt:1: is no coverage profile",
		"mode: set\nm/a.go":                   "c.txt:2: no count",
		"mode: set\n\n":                       "c.txt:2: no count",
		"mode: set\nm/a.go:1.2,3.4 5":         "c.txt:2: no number of statements",
		"mode: set\nm/a.go 5 1":               "c.txt:2: no range",
		"mode: set\nm/a.go:1.2,3.4 -5 1":      "c.txt:2: bad number of statements",
		"mode: set\nm/a.go:1.2,3.4 5 -1":      "c.txt:2: bad count",
		"mode: set\nm/a.go:1.2,3.4 5 1\nx 1 ": "c.txt:3: ",
	} {
		if _, err := Parse("c.txt", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s…", text, err, want)
		}
	}
}

func TestJoin(t *testing.T) {
	unit := Profile{{"m/a/a.go", "1", 1}: true, {"m/a/a.go", "2", 2}: false, {"m/a/a.go", "3", 4}: true, {"m/a/a.go", "4", 8}: false}
	end := Profile{{"m/a/a.go", "1", 1}: true, {"m/a/a.go", "2", 2}: true, {"m/cmd/c/main.go", "1", 16}: true, {"m/cmd/c/main.go", "2", 32}: false}
	want := []Reached{
		{Package: "m/a", Statements: 15, Unit: 5, EndToEnd: 3, Both: 1},
		{Package: "m/cmd/c", Statements: 48, EndToEnd: 16},
	}
	if got := Join(unit, end); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// FuzzParse: nothing panics, and what is read adds up whichever tier it is taken for.
func FuzzParse(f *testing.F) {
	f.Add([]byte("mode: set\nm/a.go:1.2,3.4 5 0\nm/a.go:1.2,3.4 5 1\n"))
	f.Add([]byte("mode: set\n:1 1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("c.txt", data)
		if err != nil {
			return
		}
		for _, r := range Join(p, p) {
			if r.Unit != r.EndToEnd || r.Unit != r.Both {
				t.Errorf("the same tier twice: got %+v", r)
			}
		}
	})
}
