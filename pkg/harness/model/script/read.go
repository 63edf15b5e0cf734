package script

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Read reads a script's file: a YAML list of scenes. It is strict, and its errors name the line.
func Read(file []byte) (*Model, error) {
	d := yaml.NewDecoder(bytes.NewReader(file))
	d.KnownFields(true)
	var scenes []Scene
	if err := d.Decode(&scenes); err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	for i, s := range scenes {
		if len(s.Steps) == 0 {
			return nil, fmt.Errorf("script: scene %d has no steps", i+1)
		}
		for n, step := range s.Steps {
			if err := check(step); err != nil {
				return nil, fmt.Errorf("script: scene %d, step %d: %w", i+1, n+1, err)
			}
		}
	}
	return New(scenes...), nil
}

func check(s Step) error {
	if s.Say == "" && len(s.Calls) == 0 && s.Fault == "" {
		return fmt.Errorf("it says nothing, calls nothing and fails in nothing")
	}
	switch s.Fault {
	case "", "busy", "cut", "context", "refused", "length":
	default:
		return fmt.Errorf("there is no fault %q", s.Fault)
	}
	for _, c := range s.Calls {
		if c.Tool == "" {
			return fmt.Errorf("a call names no tool")
		}
	}
	return nil
}
