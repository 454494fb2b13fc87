package tasks_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed says which packages of this module each room may import: data flows one
// way, and no room grows an edge unnoticed.
func allowed() map[string][]string {
	return map[string][]string{
		"tasks/atomicfile": nil,
		"tasks/budget":     nil,
		"tasks/callgrind":  nil,
		"tasks/cleanenv":   nil,
		// What a benchmark of a whole command imports: the standard library alone.
		"tasks/cmdbench":        nil,
		"tasks/filelock":        nil,
		"tasks/tool":            {"tasks/cleanenv"},
		"tasks/valgrind":        {"tasks/cleanenv", "tasks/filelock", "tasks/tool"},
		"tasks/gobench":         {"tasks/atomicfile", "tasks/cleanenv", "tasks/tool"},
		"tasks/count":           {"tasks/atomicfile", "tasks/callgrind", "tasks/cleanenv", "tasks/cmdbench", "tasks/gobench", "tasks/tool"},
		"tasks/gate":            {"tasks/budget", "tasks/count"},
		"tasks/explain":         {"tasks/callgrind", "tasks/explain/symbols"},
		"tasks/explain/symbols": nil,
		"tasks/throughput":      {"tasks/cleanenv", "tasks/machine", "tasks/tool"},
		"tasks/report":          {"tasks/budget", "tasks/count", "tasks/explain", "tasks/gate", "tasks/machine", "tasks/throughput", "tasks/wallclock"},
		"tasks/report/page":     {"tasks/budget", "tasks/gate", "tasks/history", "tasks/machine", "tasks/report"},
		"tasks/wallclock":       nil,
		"tasks/machine":         nil,
		"tasks/history":         {"tasks/budget", "tasks/machine"},
		"tasks/git":             {"tasks/cleanenv", "tasks/tool"},
		"tasks/gocommand":       {"tasks/cleanenv", "tasks/tool"},
		"tasks/coverage":        {"tasks/gocommand"},
		// The command that calls one target where there is no magefile yet.
		"tasks/init": {"tasks"},
	}
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	const module = "github.com/perfpin/perfpin/"
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		room := strings.TrimPrefix(p.ImportPath, module)
		seen[room] = true
		for _, path := range p.Imports {
			imported, inside := strings.CutPrefix(path, module)
			if inside && !mayImport(room, imported) {
				t.Errorf("%s imports %s", room, imported)
			}
		}
	}
	for room := range allowed() {
		if !seen[room] {
			t.Errorf("%s: no such package", room)
		}
	}
}

func mayImport(room, imported string) bool {
	inTasks := strings.HasPrefix(imported, "tasks/")
	if rooms, named := allowed()[room]; named {
		return slices.Contains(rooms, imported)
	}
	switch {
	case room == "tasks", room == "tasks/self":
		return inTasks
	case strings.HasPrefix(room, "server"):
		return imported == "server" || strings.HasPrefix(imported, "server/")
	case strings.HasPrefix(room, "benches/"):
		return !inTasks || imported == "tasks/cmdbench"
	}
	return false
}
