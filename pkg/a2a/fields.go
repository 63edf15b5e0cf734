package a2a

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// readable is a type that reads itself from an object.
type readable[T any] interface {
	*T
	read(*object)
}

// child reads an optional object.
func child[T any, P readable[T]](o *object, name string) P {
	n, ok := o.field(name)
	if !ok {
		return nil
	}
	members := n.object()
	if members == nil {
		return nil
	}
	p := P(new(T))
	p.read(members)
	return p
}

// embed reads an object into a field that is no pointer; absent, the field stays zero.
func embed[T any, P readable[T]](o *object, name string, into P) {
	if p := child[T, P](o, name); p != nil {
		*into = *p
	}
}

// list reads an array of objects; nil if absent, empty if given empty.
func list[T any, P readable[T]](o *object, name string) []T {
	items := o.array(name)
	if items == nil {
		return nil
	}
	list := make([]T, len(items))
	for i, item := range items {
		if members := item.object(); members != nil {
			P(&list[i]).read(members)
		}
	}
	return list
}

// byName reads an object whose members are objects of one type.
func byName[T any, P readable[T]](o *object, name string) map[string]T {
	all, ok := o.objectField(name)
	if !ok {
		return nil
	}
	values := make(map[string]T, len(all.members))
	for _, m := range all.members {
		n := all.at(m.name)
		n.raw = m.value
		var v T
		if members := n.object(); members != nil {
			P(&v).read(members)
		}
		values[m.name] = v
	}
	return values
}

func (o *object) objectField(name string) (*object, bool) {
	n, ok := o.field(name)
	if !ok {
		return nil, false
	}
	members := n.object()
	return members, members != nil
}

// array is the elements of an array; nil if absent.
func (o *object) array(name string) []node {
	n, ok := o.field(name)
	if !ok {
		return nil
	}
	if n.raw[0] != '[' {
		n.fail("must be an array")
		return nil
	}
	items := []node{}
	for raw := range elements(n.raw) {
		items = append(items, node{report: o.report, parent: o, name: name, index: len(items), raw: raw})
		if n.tooMany(len(items)) {
			return nil
		}
	}
	return items
}

func (o *object) text(name string) string {
	n, ok := o.field(name)
	if !ok {
		return ""
	}
	return n.text()
}

func (n node) text() string {
	if n.raw[0] != '"' {
		n.fail("must be a string")
		return ""
	}
	return unquote(n.raw)
}

func (n node) bytes() []byte {
	b, ok := parseBase64(n.text())
	if !ok {
		n.fail("must be base64")
	}
	return b
}

func (o *object) texts(name string) []string {
	items := o.array(name)
	if items == nil {
		return nil
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.text()
	}
	return texts
}

func (o *object) textByName(name string) map[string]string {
	all, ok := o.objectField(name)
	if !ok {
		return nil
	}
	texts := make(map[string]string, len(all.members))
	for _, m := range all.members {
		n := all.at(m.name)
		n.raw = m.value
		texts[m.name] = n.text()
	}
	return texts
}

func (o *object) boolean(name string) bool {
	n, ok := o.field(name)
	if !ok {
		return false
	}
	switch string(n.raw) {
	case "true":
		return true
	case "false":
		return false
	}
	n.fail("must be true or false")
	return false
}

// number reads an int32, given as a number or a numeric string; nil if absent.
func (o *object) number(name string) *int32 {
	n, ok := o.field(name)
	if !ok {
		return nil
	}
	literal := string(n.raw)
	if n.raw[0] == '"' {
		literal = unquote(n.raw)
	}
	i, ok := parseInt32(literal)
	if !ok {
		n.fail("must be an integer of 32 bits")
		return nil
	}
	return &i
}

// count is number for fields whose absence means 0.
func (o *object) count(name string) int32 {
	if n := o.number(name); n != nil {
		return *n
	}
	return 0
}

// time reads a timestamp; zero if absent.
func (o *object) time(name string) time.Time {
	n, ok := o.field(name)
	if !ok {
		return time.Time{}
	}
	t, ok := parseTime(n.text())
	if !ok {
		n.fail("must be a timestamp of RFC 3339, such as 2026-01-02T15:04:05.000Z")
	}
	return t
}

// enum reads a value by its name or its number in the proto, which is its index in values. The
// first of them is the unspecified one: it reads as absent.
func enum[T ~string](o *object, name string, values []T) T {
	n, ok := o.field(name)
	if !ok {
		return ""
	}
	i := -1
	if n.raw[0] == '"' {
		i = slices.Index(values, T(unquote(n.raw)))
	} else if number, ok := parseInt32(string(n.raw)); ok {
		i = int(number)
	}
	if i < 0 || i >= len(values) {
		n.fail("must be one of the protocol's values, such as " + string(values[1]))
		return ""
	}
	if i == 0 {
		return ""
	}
	return values[i]
}

// json keeps a value as it was written, but for the space between its tokens.
func (n node) json() json.RawMessage {
	var b bytes.Buffer
	_ = json.Compact(&b, n.raw) // It is valid.
	return b.Bytes()
}

func (o *object) metadata(name string) Metadata {
	all, ok := o.objectField(name)
	if !ok || all.tooMany(len(all.members)) {
		return nil
	}
	metadata := make(Metadata, len(all.members))
	for _, m := range all.members {
		metadata[m.name] = node{raw: m.value}.json()
	}
	return metadata
}
