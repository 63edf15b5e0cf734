package harness

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// validate holds arguments to a tool's schema. Its error is for the model that wrote them. A schema
// that can't be used, or not within bounds, holds them to nothing: that is the server's own fault, and
// it will say what it does not take.
func validate(schema, arguments json.RawMessage) error {
	var value map[string]any
	if err := json.Unmarshal(arguments, &value); err != nil || value == nil {
		return errors.New("they are no JSON object")
	}
	var parsed jsonschema.Schema
	if json.Unmarshal(schema, &parsed) != nil {
		return nil
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil || tooDear(schema, value) {
		return nil
	}
	return resolved.Validate(value)
}

// maxSteps is the most steps of a validation. A schema is another's: it may refer to itself, or
// double the work with each line.
const maxSteps = 100_000

// tooDear reports whether holding a value to a schema may take more than maxSteps. It counts from
// above: for each part of the schema and of the value that meet, once.
func tooDear(schema json.RawMessage, value any) bool {
	var root any
	if json.Unmarshal(schema, &root) != nil {
		return true
	}
	w := weigher{root: root, steps: map[meeting]int{}}
	return renames(root, true) || w.weigh("", root, "", value) >= maxSteps
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
	root  any
	steps map[meeting]int
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
		each(place, sub, name == "patternProperties", func(place string, sub any) bool {
			n += w.inside(place, sub, at, value)
			return n < maxSteps
		})
	}
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
