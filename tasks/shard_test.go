package tasks

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]shard{
		"1/1": {1, 1}, "2/5": {2, 5}, "1000/1000": {1000, 1000},
		"": {}, "2": {}, "2/": {}, "/5": {}, "0/5": {}, "6/5": {}, "-1/5": {}, "+1/5": {}, "02/5": {}, "2/05": {},
		" 2/5": {}, "2/5/7": {}, "2/1001": {}, "1/99999999999999999999": {}, "a/b": {},
	} {
		got, err := parseShard(text)
		if got != want || (err == nil) != (want != shard{}) {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
		if err == nil && got.String() != text {
			t.Errorf("%q: is printed as %q", text, got)
		}
	}
}

func TestDivide(t *testing.T) {
	for _, test := range []struct {
		weights map[string]int64
		shards  int
		want    [][]string
	}{
		{map[string]int64{"a": 5, "b": 4, "c": 3, "d": 3, "e": 3}, 2, [][]string{{"a", "d"}, {"b", "c", "e"}}},
		{map[string]int64{"b": 1, "a": 1, "c": 1}, 3, [][]string{{"a"}, {"b"}, {"c"}}},
		{map[string]int64{"a": 7}, 3, [][]string{{"a"}, nil, nil}},
		{nil, 2, [][]string{nil, nil}},
	} {
		if got := divide(test.weights, test.shards); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v in %d: got %v, want %v", test.weights, test.shards, got, test.want)
		}
	}
}

// Every name is in one shard, and no shard is heavier than the bound says.
func TestDivideIsWholeAndEven(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		weights := make(map[string]int64)
		var all, heaviest int64
		for i := range random.IntN(40) {
			w := random.Int64N(1000)
			weights[fmt.Sprint(i)] = w
			all, heaviest = all+w, max(heaviest, w)
		}
		shards := 1 + random.IntN(9)
		seen := 0
		for _, part := range divide(weights, shards) {
			var load int64
			for _, name := range part {
				load += weights[name]
			}
			seen += len(part)
			// Whoever got the last name was the lightest before it.
			if load > all/int64(shards)+heaviest+1 {
				t.Errorf("a shard weighs %d of %d, of %d shards", load, all, shards)
			}
			if !slices.IsSorted(part) {
				t.Errorf("not sorted: %v", part)
			}
		}
		if seen != len(weights) {
			t.Errorf("%d names dealt, want %d", seen, len(weights))
		}
	}
}

func FuzzParseShard(f *testing.F) {
	f.Add("2/5")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := parseShard(text); err == nil && (s.String() != text || s.number < 1 || s.number > s.of || s.of > mostShards) {
			t.Errorf("%q: got %v", text, s)
		}
	})
}
