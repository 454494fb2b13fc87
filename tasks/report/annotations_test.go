package report

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/tasks/gate"
)

func TestAnnotations(t *testing.T) {
	other := here
	other.Go = "go1.27.0"
	place := Place{File: "sub,dir/a:b/budgets.toml", NewLine: 8, PinnedLine: 2}
	strict := place
	strict.Strict = true
	for _, test := range []struct {
		golden   string
		verdicts []gate.Verdict
		run      Run
		place    Place
	}{
		{"annotations.golden", judge(t, here), of(here), place},
		{"annotations_platform.golden", judge(t, other), of(other), place},
		{"annotations_strict.golden", judge(t, other), of(other), strict},
		{"annotations_hostile.golden", hostile(t), of(here), place},
	} {
		results := NewResults(test.verdicts, test.run)
		var out bytes.Buffer
		if err := Annotations(&out, &results, nil, test.place); err != nil {
			t.Fatal(err)
		}
		golden(t, test.golden, out.Bytes())
	}
}

func TestAnnotationsOfAnError(t *testing.T) {
	for _, test := range []struct{ err, want string }{
		{
			"budgets.toml:2: bench \"a:b\": 100%, bad\nhint: the keys are ir\nbudgets.toml:7: worse",
			"::error file=m/budgets.toml,line=2,title=perfpin::bench \"a:b\": 100%25, bad\n" +
				"::error file=m/budgets.toml,line=7,title=perfpin::worse\n",
		},
		{"go: no\r\nsuch thing", "::error title=perfpin::go: no%0Asuch thing\n"},
		{"see budgets.toml:2: it is bad", "::error title=perfpin::see budgets.toml:2: it is bad\n"},
	} {
		var out bytes.Buffer
		if err := Annotations(&out, nil, errors.New(test.err), Place{File: "m/budgets.toml"}); err != nil {
			t.Fatal(err)
		}
		if out.String() != test.want {
			t.Errorf("got\n%s\nwant\n%s", out.String(), test.want)
		}
	}
	var out bytes.Buffer
	if err := Annotations(&out, nil, nil, Place{}); err != nil || out.Len() > 0 {
		t.Errorf("without an error: %v, %q", err, out.String())
	}
}

// No more of a level than are shown, one command a line, and no message without end.
func TestAnnotationsAreBounded(t *testing.T) {
	results := Results{Differences: []Difference{{"go", "a", "b"}}}
	for i := range 100 {
		results.Benches = append(results.Benches, Bench{
			Bench: fmt.Sprint("x\n::set-output name=a::", i), Verdict: gate.Failed, Error: strings.Repeat("é\n", 5000),
		})
	}
	var out bytes.Buffer
	if err := Annotations(&out, &results, nil, Place{File: "budgets.toml", Strict: true}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	errorsSeen := 0
	for _, line := range lines {
		if strings.HasPrefix(line, "::error ") {
			errorsSeen++
		}
		if len(line) > 3*mostMessage || !strings.HasPrefix(line, "::") {
			t.Errorf("a line of %d bytes: %.80s", len(line), line)
		}
	}
	if errorsSeen != mostAnnotations || !strings.Contains(lines[len(lines)-1], "not shown here: 91") {
		t.Errorf("%d errors, and the last line is %s", errorsSeen, lines[len(lines)-1])
	}
}
