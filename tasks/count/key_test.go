package count

import "testing"

func TestSplitKey(t *testing.T) {
	tests := []struct{ key, pkg, name string }{
		{"benches/server.HandleRequest/small", "benches/server", "HandleRequest/small"},
		{"server.X", "server", "X"},
		{".X", "", "X"},
		{".X/v1.5/Y.Z", "", "X/v1.5/Y.Z"},
		{"a.X/v1.5/Y.Z", "a", "X/v1.5/Y.Z"},
		{"a/yaml.v3.Decode/x.y", "a/yaml.v3", "Decode/x.y"},
		{"a.b/c.X", "a.b/c", "X"},
		{"a._x", "a", "_x"},
		{"a.", "a", ""},
		{"odd", "", "odd"},
	}
	for _, test := range tests {
		if pkg, name := SplitKey(test.key); pkg != test.pkg || name != test.name {
			t.Errorf("SplitKey(%q) is %q, %q, want %q, %q", test.key, pkg, name, test.pkg, test.name)
		}
	}
}
