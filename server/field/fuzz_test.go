package field

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// FuzzAcceptEncoding: what was read, printed in the plainest form, reads the
// same; a coding is never chosen against a weight of nought.
func FuzzAcceptEncoding(f *testing.F) {
	for _, s := range []string{"", "gzip, br;q=0.5", "*;q=0", "identity;q=0,*", "gzip;q=1.0 ,x;a=b"} {
		f.Add(s, uint8(15))
	}
	f.Fuzz(func(t *testing.T, value string, available uint8) {
		a := ParseAcceptEncoding(value)
		var printed []string
		for c := Identity; c < Codings; c++ {
			if a[c] > 1000 {
				t.Fatalf("%q: weight %d of %s", value, a[c], c.Name())
			}
			printed = append(printed, fmt.Sprintf("%s;q=%d.%03d", c.Name(), a[c]/1000, a[c]%1000))
		}
		if again := ParseAcceptEncoding(strings.Join(printed, ", ")); again != a {
			t.Fatalf("%q: read %v, printed and read again %v", value, a, again)
		}
		if c, ok := a.Choose(available); ok && (a[c] == 0 || available&(1<<c) == 0) {
			t.Fatalf("%q of %b: chose %s", value, available, c.Name())
		}
	})
}

// FuzzRange: every part lies within the content, together they are no longer
// than it, and printed they read the same.
func FuzzRange(f *testing.F) {
	for _, s := range []string{"bytes=0-0", "bytes=-5,2-", "bytes=9-99999999999999999999", "bytes=,,1-2", "x"} {
		f.Add(s, int64(10))
	}
	f.Fuzz(func(t *testing.T, value string, size int64) {
		if size < 0 {
			return
		}
		ranges, outcome := ParseRange(nil, value, size, 8)
		if (outcome == RangeSatisfiable) != (len(ranges) > 0) || len(ranges) > 8 {
			t.Fatalf("%q of %d: got %v, %d ranges", value, size, outcome, len(ranges))
		}
		var printed []string
		left := size
		for _, r := range ranges {
			if r.Start < 0 || r.Length < 1 || r.Start > size-r.Length || r.Length > left {
				t.Fatalf("%q of %d: got %v", value, size, ranges)
			}
			left -= r.Length
			printed = append(printed, fmt.Sprintf("%d-%d", r.Start, r.Start+r.Length-1))
		}
		again, _ := ParseRange(nil, "bytes="+strings.Join(printed, ","), size, 8)
		if fmt.Sprint(again) != fmt.Sprint(ranges) {
			t.Fatalf("%q of %d: read %v, printed and read again %v", value, size, ranges, again)
		}
	})
}

// FuzzConditional: a tag that matches strongly matches weakly; a list with
// the tag in front always matches; a date reads back after printing.
func FuzzConditional(f *testing.F) {
	for _, s := range []string{`"a"`, `W/"a", "b"`, "*", `"a`, "Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		const tag = `"a"`
		weakly, strongly := MatchesWeak(value, tag), MatchesStrong(value, tag)
		if strongly && !weakly {
			t.Fatalf("%q: strong match without a weak one", value)
		}
		if weakly && !strings.Contains(value, tag) && !strings.Contains(value, "*") {
			t.Fatalf("%q: matches %s", value, tag)
		}
		if !MatchesStrong(tag+", "+value, tag) {
			t.Fatalf("%q: hides the tag before it", value)
		}
		sec, ok := ParseDate(value)
		if !ok {
			return
		}
		printed := time.Unix(sec, 0).UTC().Format(DateLayout)
		if again, ok := ParseDate(printed); !ok || again != sec {
			t.Fatalf("%q: read %d, printed %q, read again %d", value, sec, printed, again)
		}
	})
}
