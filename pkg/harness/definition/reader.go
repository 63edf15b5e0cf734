package definition

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// reader reads YAML nodes into values and gathers what is wrong with them.
type reader struct {
	problems Problems
	patterns []*yaml.Node // of tools
}

func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, Problem{Line: n.Line + above, Text: fmt.Sprintf(format, args...)})
}

func (r *reader) sort() {
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
}

// fields are what a mapping may hold, by key, and how each is read.
type fields map[string]func(*yaml.Node)

// mapping reads a mapping of known keys. where names it for people.
func (r *reader) mapping(n *yaml.Node, where string, known fields) {
	r.each(n, where, func(key, value *yaml.Node) {
		read, ok := known[key.Value]
		if !ok {
			r.fail(key, "%q is no key of %s%s", key.Value, where, nearest(key.Value, slices.Sorted(maps.Keys(known))))
			return
		}
		read(value)
	})
}

const notRead = "anchors, aliases and keys that are no words are not read"

// each visits the keys of a mapping, each once.
func (r *reader) each(n *yaml.Node, where string, visit func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s must be a mapping", where)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || key.Tag == "!!merge" || value.Kind == yaml.AliasNode:
			r.fail(key, notRead)
		case seen[key.Value]:
			r.fail(key, "%q is given twice", key.Value)
		default:
			seen[key.Value] = true
			visit(key, value)
		}
	}
}

// nearest suggests the known key that is nearest to one.
func nearest(key string, known []string) string {
	best, least := "", 4
	for _, k := range known {
		if d := distance(strings.ToLower(key), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return "; it has " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is how many letters have to be changed, added or left out.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := min(row[j], row[j+1]) + 1
			if a[i] == b[j] {
				next = before
			} else {
				next = min(next, before+1)
			}
			before, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

func (r *reader) text(to *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if !isText(n) {
			r.fail(n, "must be text")
			return
		}
		*to = n.Value
	}
}

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag != "!!null" }

func (r *reader) flag(to *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Decode(to) != nil || n.Tag != "!!bool" {
			r.fail(n, "must be true or false")
		}
	}
}

// number reads a whole number of at least one.
func (r *reader) number(to *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < 1 {
			r.fail(n, "must be a whole number of at least 1")
			return
		}
		*to = v
	}
}

// duration reads a time such as 90s, 30m or 7d.
func (r *reader) duration(to *time.Duration) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v := n.Value
		var d time.Duration
		var err error
		if days, ok := strings.CutSuffix(v, "d"); ok {
			var count int
			count, err = strconv.Atoi(days)
			d = time.Duration(min(count, 1000)) * 24 * time.Hour
		} else {
			d, err = time.ParseDuration(v)
		}
		if n.Kind != yaml.ScalarNode || err != nil || d <= 0 || d > 366*24*time.Hour {
			r.fail(n, "must be a time such as 90s, 30m or 7d")
			return
		}
		*to = d
	}
}

func (r *reader) texts(to *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			r.fail(n, "must be a list")
			return
		}
		for _, item := range n.Content {
			var s string
			r.text(&s)(item)
			*to = append(*to, s)
		}
	}
}

// form is what text must look like, and how people are told of that.
type form struct {
	pattern *regexp.Regexp
	says    string
}

// formed reads text of a form.
func (r *reader) formed(to *string, f form) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if r.text(to)(n); isText(n) && !f.pattern.MatchString(*to) {
			r.fail(n, "must be %s", f.says)
		}
	}
}

// anything reads a mapping of any shape that JSON has too: a turn keeps it so.
func (r *reader) anything(to *map[string]any) func(*yaml.Node) {
	return func(n *yaml.Node) {
		*to = r.object(n, maxDepth)
	}
}

// maxDepth is how deep values of any shape may nest.
const maxDepth = 32

func (r *reader) object(n *yaml.Node, depth int) map[string]any {
	m := map[string]any{}
	r.each(n, "it", func(key, value *yaml.Node) { m[key.Value] = r.value(value, depth) })
	return m
}

func (r *reader) value(n *yaml.Node, depth int) (v any) {
	switch {
	case depth == 0:
		r.fail(n, "nests more than %d levels deep", maxDepth)
	case n.Kind == yaml.MappingNode:
		return r.object(n, depth-1)
	case n.Kind == yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			list = append(list, r.value(item, depth-1))
		}
		return list
	default:
		if err := n.Decode(&v); err != nil || n.Kind != yaml.ScalarNode {
			r.fail(n, "must be a value, not an alias")
		} else if _, err := json.Marshal(v); err != nil {
			r.fail(n, "%s has no form in JSON", n.Value)
		}
	}
	return v
}
