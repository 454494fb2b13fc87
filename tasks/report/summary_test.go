package report

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/perfpin/perfpin/tasks/gate"
)

const room = 1 << 20

func TestSummary(t *testing.T) {
	other := here
	other.Go = "go1.27.0|*x*"
	for _, test := range []struct {
		golden   string
		verdicts []gate.Verdict
		run      Run
	}{
		{"summary.golden.md", judge(t, here), of(here)},
		{"summary_platform.golden.md", judge(t, other), of(other)},
		{"summary_hostile.golden.md", hostile(t), of(here)},
		{"summary_empty.golden.md", nil, Run{Shard: "2/5"}},
	} {
		results := NewResults(test.verdicts, test.run)
		var out bytes.Buffer
		if err := Summary(&out, &results, nil, room); err != nil {
			t.Fatal(err)
		}
		golden(t, test.golden, out.Bytes())
	}
}

func TestSummaryOfNothing(t *testing.T) {
	var out bytes.Buffer
	if err := Summary(&out, nil, errors.New("budgets.toml:2: <b>bad</b>\n\nhint: </pre>"), room); err != nil {
		t.Fatal(err)
	}
	const want = "## perfpin: nothing was judged\n\n<pre>budgets.toml:2: &lt;b&gt;bad&lt;/b&gt;\n\nhint: &lt;/pre&gt;</pre>\n\n"
	if out.String() != want {
		t.Errorf("got %q\nwant %q", out.String(), want)
	}
}

// However many benches there are, and however little room, the limit holds, and what
// is left out is counted.
func TestSummaryIsBounded(t *testing.T) {
	long := strings.Repeat("<", 200)
	results := Results{}
	for i := range 2000 {
		kind := []gate.Kind{gate.Within, gate.Regressed, gate.Failed, gate.Unpinned}[i%4]
		results.Benches = append(results.Benches, Bench{Bench: fmt.Sprint(i, long), Verdict: kind, Error: long})
	}
	for _, limit := range []int{2000, 50_000, room} {
		var out bytes.Buffer
		if err := Summary(&out, &results, nil, limit); err != nil {
			t.Fatal(err)
		}
		if out.Len() > limit || out.Len() < limit/2 {
			t.Errorf("%d bytes, want about %d and no more", out.Len(), limit)
		}
		if !strings.Contains(out.String(), "There was no room for ") {
			t.Errorf("limit %d: what is left out is not told", limit)
		}
	}
	if err := Summary(&bytes.Buffer{}, &results, nil, 10); err == nil {
		t.Error("wrote into 10 bytes")
	}
}

// Whatever a bench is called, nothing but letters, digits and a few signs comes out
// bare.
func FuzzEscapeText(f *testing.F) {
	f.Add("a.B/<x>|`*_[](:@#\\~!&amp;\n\x1b")
	allowed := regexp.MustCompile(`^(?:[a-zA-Z0-9 /.,-]|[^\x00-\x7f]|&#[0-9]+;)*$`)
	f.Fuzz(func(t *testing.T, text string) {
		if got := escapeText(text); !allowed.MatchString(got) {
			t.Errorf("%q gives %q", text, got)
		}
	})
}
