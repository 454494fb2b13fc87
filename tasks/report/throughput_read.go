package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ReadThroughput reads the results.json of a comparison of servers. The name stands in
// errors. Another schema and a member that this schema does not have are errors.
func ReadThroughput(name string, data []byte) (*ThroughputResults, error) {
	var head struct {
		Schema *int `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", name, position(data, err), err)
	}
	switch {
	case head.Schema == nil:
		return nil, fmt.Errorf("%s: has no schema, want %d\nhint: go tool mage throughput", name, ThroughputSchema)
	case *head.Schema != ThroughputSchema:
		return nil, fmt.Errorf("%s: has schema %d, want %d\nhint: go tool mage throughput", name, *head.Schema, ThroughputSchema)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	results := &ThroughputResults{}
	if err := decoder.Decode(results); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", name, position(data, err), err)
	}
	return results, nil
}
