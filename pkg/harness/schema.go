package harness

import (
	"encoding/json"
	"errors"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemas holds arguments to schemas, each of which is read once.
type schemas map[string]*schema // by its text

// schema is one that can be used, within bounds.
type schema struct {
	root     any
	resolved *jsonschema.Resolved
	patterns map[string]int // by their text: the size of the program
}

// Bounds of a schema, which is another's, and of holding a value to it: it may refer to itself, double
// the work with each line, or be all patterns. maxSteps is of about a microsecond each; maxPrograms is
// the size of all its patterns together, in instructions.
const (
	maxSchema   = 128 << 10
	maxNesting  = 64
	maxPrograms = 10_000
	maxSteps    = 100_000
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
	var said any
	var parsed jsonschema.Schema
	if len(text) > maxSchema || json.Unmarshal(text, &said) != nil || deeper(said, maxNesting) || json.Unmarshal(text, &parsed) != nil {
		return nil
	}
	s := &schema{patterns: map[string]int{}}
	read, err := json.Marshal(&parsed)
	if err != nil || json.Unmarshal(read, &s.root) != nil || !s.bounded(s.root) || renames(s.root, true) {
		return nil
	}
	if s.resolved, err = parsed.Resolve(nil); err != nil {
		return nil
	}
	return s
}

// deeper reports whether a value nests deeper than most.
func deeper(value any, most int) (found bool) {
	each("", value, true, func(_ string, sub any) bool {
		found = most == 0 || deeper(sub, most-1)
		return !found
	})
	return found
}

// bounded reports whether the patterns of a part of a schema, and all before, are not too large.
func (s *schema) bounded(part any) bool {
	ok := true
	each("", part, true, func(place string, sub any) bool {
		switch text, isText := sub.(string); {
		case isText && place == "/pattern":
			ok = s.pattern(text)
		case place == "/patternProperties":
			members, _ := sub.(map[string]any)
			for name := range members {
				ok = ok && s.pattern(name)
			}
		}
		ok = ok && s.bounded(sub)
		return ok
	})
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

// tooDear reports whether holding a value to the schema may take more than maxSteps. It counts from
// above: for each part of the schema and of the value that meet, once.
func (s *schema) tooDear(value any) bool {
	w := weigher{schema: s, steps: map[meeting]int{}}
	return w.weigh("", s.root, "", value) >= maxSteps
}

// renames reports whether references below a part of the schema may mean other places than they say.
func renames(schema any, root bool) (found bool) {
	if members, ok := schema.(map[string]any); ok && members["$id"] != nil && !root {
		return true
	}
	each("", schema, true, func(_ string, sub any) bool {
		found = renames(sub, false)
		return !found
	})
	return found
}

// meeting is a part of a schema and the part of a value that it is to hold for, by their places.
type meeting struct{ schema, value string }

type weigher struct {
	*schema
	steps map[meeting]int
}

// matching is about how many instructions of a pattern a step runs.
const matching = 64

// match is the most steps of matching a text.
func (w *weigher) match(pattern, text string) int {
	return min(maxSteps, 1+w.patterns[pattern]*len(text)/matching)
}

// weigh is the most steps of a meeting.
func (w *weigher) weigh(place string, schema any, at string, value any) int {
	members, ok := schema.(map[string]any)
	if !ok { // true, false, or nothing that is a schema
		return 1
	}
	m := meeting{place, at}
	if n, met := w.steps[m]; met {
		return n
	}
	w.steps[m] = maxSteps // what leads back here without an end
	if len(w.steps) >= maxSteps {
		return maxSteps
	}
	n := 1
	for name, sub := range members {
		if n = min(maxSteps, n+w.keyword(name, place+"/"+escape(name), sub, at, value)); n == maxSteps {
			return n
		}
	}
	w.steps[m] = n
	return n
}

// keyword is the most steps of a keyword: those of all that it applies, to the value itself or to
// what is in it.
func (w *weigher) keyword(name, place string, sub any, at string, value any) (n int) {
	switch name {
	case "$ref", "$dynamicRef", "$recursiveRef":
		ref, _ := sub.(string)
		target, ok := w.find(ref)
		if !ok {
			return maxSteps
		}
		return w.weigh(strings.TrimPrefix(ref, "#"), target, at, value)
	case "not", "if", "then", "else", "allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies":
		each(place, sub, name[0] == 'd', func(place string, sub any) bool {
			n += w.weigh(place, sub, at, value)
			return n < maxSteps
		})
	case "enum", "required":
		list, _ := sub.([]any)
		n = len(list)
	case "const", "uniqueItems": // compares
		n = weight(value)
	case "pattern":
		pattern, _ := sub.(string)
		text, _ := value.(string)
		n = w.match(pattern, text)
	case "properties":
		each(place, sub, true, func(place string, sub any) bool {
			name := place[strings.LastIndexByte(place, '/')+1:]
			if child, ok := member(value, unescape(name)); ok {
				n += w.weigh(place, sub, at+"/"+name, child)
			}
			return n < maxSteps
		})
	case "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames",
		"items", "prefixItems", "additionalItems", "unevaluatedItems", "contains":
		if name == "patternProperties" {
			n = w.names(sub, value)
		}
		each(place, sub, name == "patternProperties", func(place string, sub any) bool {
			n += w.inside(place, sub, at, value)
			return n < maxSteps
		})
	}
	return n
}

// names is the most steps of matching the names of a value with patterns.
func (w *weigher) names(patterns, value any) (n int) {
	all, _ := patterns.(map[string]any)
	members, _ := value.(map[string]any)
	for pattern := range all {
		for name := range members {
			if n += w.match(pattern, name); n >= maxSteps {
				return n
			}
		}
	}
	return n
}

// weight is how many values there are in one, itself included.
func weight(value any) int {
	n := 1
	each("", value, true, func(_ string, sub any) bool {
		n += weight(sub)
		return n < maxSteps
	})
	return n
}

// inside is the most steps of a schema that holds for all that is in a value.
func (w *weigher) inside(place string, schema any, at string, value any) (n int) {
	each(at, value, true, func(at string, child any) bool {
		n += w.weigh(place, schema, at, child)
		return n < maxSteps
	})
	return n
}

// each calls do with the elements of an array, the members of an object if it is one of schemas or
// values, and else with the schema itself, for as long as do returns true.
func each(place string, v any, members bool, do func(place string, v any) bool) {
	switch v := v.(type) {
	case []any:
		for i, element := range v {
			if !do(place+"/"+strconv.Itoa(i), element) {
				return
			}
		}
	case map[string]any:
		if !members {
			do(place, v)
			return
		}
		for name, member := range v {
			if !do(place+"/"+escape(name), member) {
				return
			}
		}
	}
}

// find is the schema that a reference within the document means: the root, or a JSON Pointer.
func (w *weigher) find(ref string) (any, bool) {
	path, local := strings.CutPrefix(ref, "#")
	if !local || path != "" && path[0] != '/' || strings.Contains(path, "%") {
		return nil, false
	}
	v := w.root
	for token := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		next, ok := member(v, unescape(token))
		if !ok {
			return nil, false
		}
		v = next
	}
	return v, true
}

// member is what an object or an array has under a name.
func member(v any, name string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		m, ok := v[name]
		return m, ok
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

var escapes, unescapes = strings.NewReplacer("~", "~0", "/", "~1"), strings.NewReplacer("~1", "/", "~0", "~")

func escape(name string) string { return escapes.Replace(name) }

func unescape(token string) string { return unescapes.Replace(token) }
