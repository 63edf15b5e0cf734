package a2a

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
)

// maxViolations bounds how many bad fields one error lists.
const maxViolations = 16

// report gathers what is wrong with a document.
type report struct {
	// fromCaller says that the document is a request: callers are held to every rule of their
	// requests, while of what an agent wrote only what can't be understood is refused.
	fromCaller bool
	root       string // what the document is called
	violations []FieldViolation
}

// node is a value at its place in a document.
type node struct {
	report *report
	parent *object // nil at the root
	name   string  // in an object
	index  int     // in the array of that name; -1 outside
	raw    []byte
}

// object is a node with its members. Members that no field asks for are ignored (SPEC-12).
type object struct {
	node
	members []member
}

type member struct {
	name  string
	value []byte
}

// path names the node as field violations do: message.parts[0].text.
func (n node) path() string {
	path := n.name
	if n.index >= 0 {
		path += "[" + strconv.Itoa(n.index) + "]"
	}
	if n.parent == nil {
		return path
	}
	return join(n.parent.path(), path)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// fail notes what is wrong with the node. Of one node only the first fault counts.
func (n node) fail(description string) {
	r := n.report
	if len(r.violations) == maxViolations {
		return
	}
	path := n.path()
	if path == "" {
		path = r.root
	}
	for _, v := range r.violations {
		if v.Field == path {
			return
		}
	}
	r.violations = append(r.violations, FieldViolation{Field: path, Description: description})
}

func (n node) isNull() bool { return bytes.Equal(n.raw, []byte("null")) }

// object reads the node's members; nil and a violation if it is no object.
func (n node) object() *object {
	if n.raw[0] != '{' {
		n.fail("must be an object")
		return nil
	}
	o := &object{node: n, members: make([]member, 0, 8)}
	for name, value := range members(n.raw) {
		o.members = append(o.members, member{name, value})
	}
	return o
}

// at is the place of a member, given or not.
func (o *object) at(name string) node {
	return node{report: o.report, parent: o, name: name, index: -1}
}

// value finds a member by its camelCase or its snake_case name; null counts as given. A member
// under both names is refused.
func (o *object) value(name string) (node, bool) {
	n := o.at(name)
	for _, m := range o.members {
		if m.name != name && !isSnakeCase(m.name, name) {
			continue
		}
		if n.raw != nil {
			n.fail("is given twice, in camelCase and in snake_case")
			break
		}
		n.raw = m.value
	}
	return n, n.raw != nil
}

// field is value for members to which null means absent: all but JSON values.
func (o *object) field(name string) (node, bool) {
	n, ok := o.value(name)
	return n, ok && !n.isNull()
}

// isSnakeCase reports whether snake is the snake_case form of a camelCase name.
func isSnakeCase(snake, camel string) bool {
	for _, c := range camel {
		if unicode.IsUpper(c) {
			if !strings.HasPrefix(snake, "_") {
				return false
			}
			snake, c = snake[1:], unicode.ToLower(c)
		}
		if snake == "" || rune(snake[0]) != c {
			return false
		}
		snake = snake[1:]
	}
	return snake == ""
}
