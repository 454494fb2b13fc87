package tasks

import (
	"slices"
	"testing"

	"github.com/perfpin/perfpin/tasks/count"
	"github.com/perfpin/perfpin/tasks/gobench"
)

func TestHeaviestFirst(t *testing.T) {
	totals := map[string]int64{"a": 5, "c": 70, "d": 5, "e": 6}
	s := suite{}
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		s.benches = append(s.benches, gobench.Bench{Key: key})
	}
	got := s.heaviestFirst(func(key string) count.Expectation { return count.Expectation{Total: totals[key]} })
	// Nothing is known of b.
	if want := []int{1, 2, 4, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
