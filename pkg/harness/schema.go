package harness

import (
	"encoding/json"
	"errors"
	"regexp/syntax"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemas holds arguments to schemas, each of which is read once.
type schemas map[string]*schema // by its text

// schema is one that can be used, within bounds.
type schema struct {
	root     *part
	resolved *jsonschema.Resolved
	patterns map[string]int // by their text: the size of the program
}

// Bounds of a schema, which is another's: it may refer to itself, double the work with each line, or be
// all patterns. maxPrograms is the size of all its patterns together, in instructions; maxPaths the
// bytes of the places of all its parts, each of which is kept.
const (
	maxSchema   = 128 << 10
	maxNesting  = 64
	maxPrograms = 10_000
	maxPaths    = 4 << 20
)

// validate holds arguments to a tool's schema. Its error is for the model that wrote them. A schema
// that can't be used, or not within bounds, holds them to nothing: that is the server's own fault, and
// it will say what it does not take.
func (all schemas) validate(text, arguments json.RawMessage) error {
	var value map[string]any
	if err := json.Unmarshal(arguments, &value); err != nil || value == nil {
		return errors.New("they are no JSON object")
	}
	s, known := all[string(text)]
	if !known {
		s = readSchema(text)
		all[string(text)] = s
	}
	if s == nil || s.tooDear(value) {
		return nil
	}
	return s.resolved.Validate(value)
}

// readSchema reads a schema; nil: it can't be used. The bounds come first: what reads schemas has none.
// What is weighed is what was read, which takes keywords in any case.
func readSchema(text json.RawMessage) *schema {
	var said, read any
	var parsed jsonschema.Schema
	if len(text) > maxSchema || json.Unmarshal(text, &said) != nil || !bounded(partsOf(said, 0)) || json.Unmarshal(text, &parsed) != nil {
		return nil
	}
	b, err := json.Marshal(&parsed)
	if err != nil || json.Unmarshal(b, &read) != nil {
		return nil
	}
	s := &schema{root: partsOf(read, 0), patterns: map[string]int{}}
	if !bounded(s.root) || !s.take(s.root) || renames(s.root, true) {
		return nil
	}
	if s.resolved, err = parsed.Resolve(nil); err != nil {
		return nil
	}
	return s
}

func bounded(root *part) bool { return root.depth <= maxNesting && root.paths <= maxPaths }

// renames reports whether references below a part of the schema may mean other places than they say.
func renames(schema *part, root bool) bool {
	if schema.members["$id"] != nil && !root {
		return true
	}
	for sub := range schema.parts {
		if renames(sub, false) {
			return true
		}
	}
	return false
}

// take takes up the patterns of a part of the schema, and reports whether all so far are within bounds.
func (s *schema) take(schema *part) bool {
	ok := true
	if text, isText := schema.members["pattern"].text(); isText {
		ok = s.pattern(text)
	}
	for name := range schema.members["patternProperties"].named {
		ok = ok && s.pattern(name)
	}
	for sub := range schema.parts {
		ok = ok && s.take(sub)
	}
	return ok
}

// pattern takes a pattern up, and reports whether all so far are within bounds together.
func (s *schema) pattern(text string) bool {
	if _, known := s.patterns[text]; known {
		return true
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return false
	}
	s.patterns[text] = program(parsed)
	total := 0
	for _, size := range s.patterns {
		total += size
	}
	return total <= maxPrograms
}

// program is about how many instructions a regular expression becomes, or more than maxPrograms.
func program(r *syntax.Regexp) int {
	n := 1 + len(r.Rune)
	for _, sub := range r.Sub {
		n = min(n+program(sub), maxPrograms+1)
	}
	if r.Op == syntax.OpRepeat {
		n = min(n*max(r.Min, r.Max, 1), maxPrograms+1)
	}
	return n
}
