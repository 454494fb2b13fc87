package field

import (
	"fmt"
	"testing"
)

func TestChoose(t *testing.T) {
	const all, plainOnly, withGzip = 0b1111, 0b0001, 0b0011
	cases := []struct {
		value     string
		available uint8
		want      string
	}{
		{"", all, "identity"},
		{"gzip", all, "gzip"},
		{"gzip, deflate, br, zstd", all, "br"},
		{"gzip, deflate, br, zstd", withGzip, "gzip"},
		{"gzip, deflate, br, zstd", plainOnly, "identity"},
		{"zstd, gzip", all, "zstd"},
		{"br;q=0.5, gzip;q=0.9", all, "gzip"},
		{"br;q=0.999,gzip;q=1", all, "gzip"},
		{"GZIP ; Q=1.000", all, "gzip"},
		{"x-gzip", all, "gzip"},
		{"\tgzip\t;\tq=0.5\t,\tbr;q=0", all, "gzip"},
		{"*", all, "br"},
		{"*;q=0.1", withGzip, "gzip"},
		{"*, br;q=0", all, "zstd"},
		{"gzip;q=0", withGzip, "identity"},
		{"gzip;q=0.0", withGzip, "identity"},
		{"identity, gzip;q=0.5", withGzip, "identity"},
		{"identity;q=0.5, gzip;q=0.5", withGzip, "gzip"},
		{"identity;q=0", plainOnly, "none"},
		{"identity;q=0", all, "none"},
		{"identity;q=0, gzip", withGzip, "gzip"},
		{"*;q=0", all, "none"},
		{"*;q=0, identity", all, "identity"},
		{"*;q=0, gzip", withGzip, "gzip"},
		{"*;q=0, gzip", plainOnly, "none"},
		{"deflate", all, "identity"},
		{",, gzip ,,", all, "gzip"},
		// A member that does not follow the grammar counts for nothing.
		{"gzip;q=2", all, "identity"},
		{"gzip;q=", all, "identity"},
		{"gzip;q=0.5x", all, "identity"},
		{"gzip;q=1.001", all, "identity"},
		{"gzip;q=0.1234", all, "identity"},
		{"gzip;level=9", all, "identity"},
		{"gzip br", all, "identity"},
		{"gzipp", all, "identity"},
	}
	for _, c := range cases {
		got := "none"
		if coding, ok := ParseAcceptEncoding(c.value).Choose(c.available); ok {
			got = coding.Name()
		}
		if got != c.want {
			t.Errorf("%q of %04b: got %s, want %s", c.value, c.available, got, c.want)
		}
	}
}

func TestMatches(t *testing.T) {
	const strong, weak = `"a,b"`, `W/"a,b"`
	cases := []struct {
		list, etag       string
		weakly, strongly bool
	}{
		{strong, strong, true, true},
		{weak, strong, true, false},
		{strong, weak, true, false},
		{weak, weak, true, false},
		{"*", strong, true, true},
		{" * ", strong, true, true},
		{`"x", "a,b"`, strong, true, true},
		{`"x","y" , W/"a,b"`, strong, true, false},
		{`,, "a,b"`, strong, true, true},
		{`"a"`, strong, false, false},
		{`a,b`, strong, false, false},
		{`"a,b`, strong, false, false},
		{`"x" y "a,b"`, strong, false, false},
		{`w/"a,b"`, strong, false, false},
		{`*, "a"`, strong, false, false},
		{``, strong, false, false},
		{`"`, `"`, true, false},
	}
	for _, c := range cases {
		if got := MatchesWeak(c.list, c.etag); got != c.weakly {
			t.Errorf("weak %s in %s: got %v, want %v", c.etag, c.list, got, c.weakly)
		}
		if got := MatchesStrong(c.list, c.etag); got != c.strongly {
			t.Errorf("strong %s in %s: got %v, want %v", c.etag, c.list, got, c.strongly)
		}
	}
}

func TestParseRange(t *testing.T) {
	cases := []struct {
		value string
		size  int64
		want  string
	}{
		{"bytes=0-0", 10, "1 [{0 1}]"},
		{"bytes=0-9", 10, "1 [{0 10}]"},
		{"bytes=5-", 10, "1 [{5 5}]"},
		{"bytes=-3", 10, "1 [{7 3}]"},
		{"bytes=-30", 10, "1 [{0 10}]"},
		{"bytes=8-99", 10, "1 [{8 2}]"},
		{"BYTES=0-1", 10, "1 [{0 2}]"},
		{"bytes=0-1, 4-5 ,, -1", 10, "1 [{0 2} {4 2} {9 1}]"},
		{"bytes=20-30, 0-0", 10, "1 [{0 1}]"},
		{"bytes=9-9223372036854775807", 10, "1 [{9 1}]"},
		{"bytes=9-99999999999999999999", 10, "1 [{9 1}]"},
		{"bytes=-99999999999999999999", 10, "1 [{0 10}]"},
		{"bytes=10-", 10, "2 []"},
		{"bytes=-0", 10, "2 []"},
		{"bytes=0-", 0, "2 []"},
		{"bytes=-5", 0, "2 []"},
		{"bytes=99999999999999999999-", 10, "2 []"},
		{"bytes=", 10, "0 []"},
		{"bytes=,", 10, "0 []"},
		{"bytes", 10, "0 []"},
		{"lines=0-1", 10, "0 []"},
		{"bytes=a-b", 10, "0 []"},
		{"bytes=-", 10, "0 []"},
		{"bytes=--1", 10, "0 []"},
		{"bytes=5-4", 10, "0 []"},
		{"bytes=0-1;2-3", 10, "0 []"},
		{"bytes=0 -1", 10, "0 []"},
		{"bytes=+0-1", 10, "0 []"},
		{"bytes=0-0,1-1,2-2,3-3,4-4", 10, "0 []"},      // five where four are allowed
		{"bytes=0-,0-,0-", 10, "0 []"},                 // more than the content
		{"bytes=0-5,3-8", 10, "0 []"},                  // overlapping beyond it
		{"bytes=-9223372036854775808,0-1", 10, "0 []"}, // CVE-2017-7529
	}
	for _, c := range cases {
		ranges, outcome := ParseRange(nil, c.value, c.size, 4)
		if got := fmt.Sprint(outcome, " ", ranges); got != c.want {
			t.Errorf("%q of %d: got %s, want %s", c.value, c.size, got, c.want)
		}
	}
}

func TestParseDate(t *testing.T) {
	const want = 784111777 // the instant of the examples in RFC 9110 §5.6.7
	for _, v := range []string{
		"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
	} {
		if got, ok := ParseDate(v); !ok || got != want {
			t.Errorf("%q: got %d, %v, want %d", v, got, ok, want)
		}
	}
	for _, v := range []string{"", "0", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT", "784111777"} {
		if got, ok := ParseDate(v); ok {
			t.Errorf("%q: got %d, want none", v, got)
		}
	}
}
