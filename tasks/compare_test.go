package tasks

import (
	"errors"
	"fmt"
	"testing"

	"github.com/perfpin/perfpin/tasks/gate"
)

// What could not be counted at base is failed: it is neither new nor within.
func TestFailAtBase(t *testing.T) {
	verdicts := []gate.Verdict{
		{Bench: ".Root", Kind: gate.Unpinned},
		{Bench: "a.Both", Kind: gate.Failed, Err: errors.New("panics")},
		{Bench: "a.Fixed", Kind: gate.Unpinned},
		{Bench: "a.New", Kind: gate.Unpinned},
		{Bench: "a.Same", Kind: gate.Within},
		{Bench: "b.InBroken", Kind: gate.Unpinned},
		{Bench: "b.x/c.Other", Kind: gate.Unpinned},
	}
	failures := map[string]error{
		"a.Both": errors.New("base: timed out"), "a.Fixed": errors.New("base: panics"), "a.Gone": errors.New("base: exits"),
	}
	broken := gate.BrokenPackages{{Key: "b", Name: "b", Err: errors.New("does not compile")}}
	got := ""
	for _, v := range failAtBase(verdicts, failures, broken) {
		got += fmt.Sprintf("%s %s %v\n", v.Bench, v.Kind, v.Err)
	}
	const want = `.Root unpinned <nil>
a.Both failed panics
base: timed out
a.Fixed failed base: panics
a.Gone failed base: exits
a.New unpinned <nil>
a.Same within <nil>
b failed base: does not compile
b.InBroken failed base: package b failed
b.x/c.Other unpinned <nil>
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
