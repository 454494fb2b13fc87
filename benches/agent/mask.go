package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	// Masked stands where a secret stood.
	Masked = "[masked]"

	// MinSecret is the shortest secret that can be registered, in bytes: a
	// shorter one would also mask what merely looks like it.
	MinSecret = 8
)

// Mask hides registered secrets. A nil Mask has none.
type Mask struct {
	secrets  []string // the longest first
	replacer *strings.Replacer
}

// Register adds a secret, such as the value of an API key.
func (m *Mask) Register(secret string) error {
	if len(secret) < MinSecret {
		// The secret itself must not get into a log.
		return fmt.Errorf("mask: secret of %d bytes: want at least %d", len(secret), MinSecret)
	}
	m.secrets = append(m.secrets, secret)
	// Where one secret starts with another, the replacer takes the first it was
	// given: the shorter one would leave the rest of the longer one to be read.
	slices.SortStableFunc(m.secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	pairs := make([]string, 0, 2*len(m.secrets))
	for _, secret := range m.secrets {
		pairs = append(pairs, secret, Masked)
	}
	m.replacer = strings.NewReplacer(pairs...)
	return nil
}

// Text returns s with every secret replaced by Masked.
func (m *Mask) Text(s string) string {
	if m == nil || m.replacer == nil {
		return s
	}
	return m.replacer.Replace(s)
}

// JSON returns a JSON value in which every string, name and number that contains
// a secret is masked, however its characters are escaped. It stays valid JSON,
// and the very same bytes where there was nothing to mask. Of names that become
// equal, the one that sorted last stays.
func (m *Mask) JSON(raw json.RawMessage) (json.RawMessage, error) {
	if m == nil || m.replacer == nil {
		return raw, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	masked, changed := m.value(value)
	if !changed {
		return raw, nil
	}
	return marshal(masked)
}

// value masks in place what it can, and tells whether anything was masked.
func (m *Mask) value(value any) (masked any, changed bool) {
	switch value := value.(type) {
	case string:
		text := m.Text(value)
		return text, text != value
	case json.Number:
		if text := m.Text(value.String()); text != value.String() {
			return text, true
		}
	case []any:
		for i, element := range value {
			masked, once := m.value(element)
			value[i], changed = masked, changed || once
		}
		return value, changed
	case map[string]any:
		fresh := make(map[string]any, len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			masked, once := m.value(value[name])
			text := m.Text(name)
			fresh[text], changed = masked, changed || once || text != name
		}
		return fresh, changed
	}
	return value, false
}
