package harness

import (
	"maps"
	"strconv"
	"strings"
)

// maxSteps bounds holding a value to a schema. A step is of about a microsecond, of matching
// instructions of a pattern, or of written bytes: what fails says of each part what it is and where, and
// each level says it again.
const (
	maxSteps = 100_000
	matching = 64
	written  = 64
)

// tooDear reports whether holding a value to the schema may take more than maxSteps. It counts from
// above: for each part of the schema and of the value that meet, once.
func (s *schema) tooDear(value any) bool {
	w := weigher{schema: s, steps: map[meeting]int{}}
	return w.weigh(s.root, partsOf(value, 0)) >= maxSteps
}

// part is a part of a schema or of a value; nil: there is none.
type part struct {
	value    any // where it has no parts itself
	elements []*part
	members  map[string]*part
	path     int // bytes of its place
	paths    int // of its own and all places below it
	size     int // about the bytes of its text
	count    int // parts, itself included
	depth    int // levels
}

// partsOf is a value of JSON with what is to be known of each part.
func partsOf(v any, path int) *part {
	const scalar, index = 8, 8 // bytes, at most of most
	p := &part{path: path, paths: path, size: scalar, count: 1}
	add := func(v any, name int) *part {
		sub := partsOf(v, path+1+name)
		p.paths, p.size, p.count, p.depth = p.paths+sub.paths, p.size+sub.size, p.count+sub.count, max(p.depth, sub.depth+1)
		return sub
	}
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			p.elements = append(p.elements, add(element, index))
		}
	case map[string]any:
		p.members = make(map[string]*part, len(v))
		for name, member := range v {
			p.size += len(name)
			p.members[name] = add(member, len(name))
		}
	case string:
		p.value, p.size = v, len(v)
	}
	return p
}

// text is what a part says that is a text.
func (p *part) text() (string, bool) {
	if p == nil {
		return "", false
	}
	s, ok := p.value.(string)
	return s, ok
}

// named yields the members of an object, by name.
func (p *part) named(yield func(string, *part) bool) {
	if p != nil {
		maps.All(p.members)(yield)
	}
}

// parts yields elements and members.
func (p *part) parts(yield func(*part) bool) {
	for _, element := range p.elements {
		if !yield(element) {
			return
		}
	}
	for _, member := range p.members {
		if !yield(member) {
			return
		}
	}
}

// schemas yields the schemas that a keyword has: one, a list, or some by names.
func (p *part) schemas(named bool) func(yield func(*part) bool) {
	if named || p.elements != nil {
		return p.parts
	}
	return func(yield func(*part) bool) { yield(p) }
}

// member is what an object or an array has under a name; nil: nothing.
func (p *part) member(name string) *part {
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(p.elements) {
		return p.elements[i]
	}
	return p.members[name]
}

// meeting is a part of a schema and the part of a value that it is to hold for.
type meeting struct{ schema, value *part }

type weigher struct {
	*schema
	steps map[meeting]int
}

// weigh is the most steps of a meeting.
func (w *weigher) weigh(schema, value *part) int {
	own := 1 + (schema.path+value.size)/written
	if schema.members == nil { // true, false, or nothing that is a schema
		return min(maxSteps, own)
	}
	m := meeting{schema, value}
	if n, met := w.steps[m]; met {
		return n
	}
	w.steps[m] = maxSteps // what leads back here without an end
	if len(w.steps) >= maxSteps {
		return maxSteps
	}
	n := own
	for name, sub := range schema.members {
		if n += w.keyword(name, sub, value); n >= maxSteps {
			return maxSteps
		}
	}
	n = min(maxSteps, n+n/written)
	w.steps[m] = n
	return n
}

// keyword is the most steps of a keyword: those of all that it applies, to the value itself or to
// what is in it.
func (w *weigher) keyword(name string, sub, value *part) (n int) {
	switch name {
	case "$ref", "$dynamicRef", "$recursiveRef":
		if target := w.find(sub); target != nil {
			return w.weigh(target, value)
		}
		return maxSteps
	case "not", "if", "then", "else", "allOf", "anyOf", "oneOf":
		return w.all(sub.schemas(false), value.itself)
	case "dependentSchemas", "dependencies":
		return w.all(sub.schemas(true), value.itself)
	case "uniqueItems":
		return value.count
	case "pattern":
		pattern, _ := sub.text()
		text, _ := value.text()
		return w.match(pattern, text)
	case "properties":
		for name, sub := range sub.named {
			if child := value.members[name]; child != nil && n < maxSteps {
				n += w.weigh(sub, child)
			}
		}
		return n
	case "patternProperties":
		return w.names(sub, value) + w.all(sub.schemas(true), value.parts)
	case "propertyNames":
		return w.all(sub.schemas(false), value.names)
	case "additionalProperties", "unevaluatedProperties",
		"items", "prefixItems", "additionalItems", "unevaluatedItems", "contains":
		return w.all(sub.schemas(false), value.parts)
	case "$defs", "definitions", "title", "description", "default", "examples", "$comment":
		return 0 // says nothing of a value, and is not written
	}
	return sub.count + sub.size/written // what is compared, or may be written
}

// names yields the names of members, as values.
func (p *part) names(yield func(*part) bool) {
	for name := range p.members {
		if !yield(partsOf(name, p.path)) {
			return
		}
	}
}

func (p *part) itself(yield func(*part) bool) { yield(p) }

// all is the most steps of schemas that hold for values, each for each.
func (w *weigher) all(schemas, values func(func(*part) bool)) (n int) {
	for schema := range schemas {
		for value := range values {
			if n += w.weigh(schema, value); n >= maxSteps {
				return n
			}
		}
	}
	return n
}

// match is the most steps of matching a text.
func (w *weigher) match(pattern, text string) int {
	return min(maxSteps, 1+len(pattern)/written+w.patterns[pattern]*len(text)/matching)
}

// names is the most steps of matching the names of a value with patterns.
func (w *weigher) names(patterns, value *part) (n int) {
	for pattern := range patterns.named {
		for name := range value.members {
			if n += w.match(pattern, name); n >= maxSteps {
				return n
			}
		}
	}
	return n
}

var unescapes = strings.NewReplacer("~1", "/", "~0", "~")

// find is the schema that a reference within the document means, the root or a JSON Pointer; nil:
// another.
func (w *weigher) find(ref *part) *part {
	text, _ := ref.text()
	path, local := strings.CutPrefix(text, "#")
	if !local || path != "" && path[0] != '/' || strings.Contains(path, "%") {
		return nil
	}
	if path == "" {
		return w.root
	}
	p := w.root
	for token := range strings.SplitSeq(path[1:], "/") {
		if p = p.member(unescapes.Replace(token)); p == nil {
			return nil
		}
	}
	return p
}
