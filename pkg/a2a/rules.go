package a2a

import (
	"fmt"
	"strings"
	"unicode"
)

// Bounds of what a caller may send.
const (
	MaxIDLength = 256  // bytes of an id
	MaxEntries  = 1000 // entries of an array, such as a message's parts, and keys of metadata
	MaxPageSize = 100  // pageSize of a list (SPEC-07)
)

// CheckID reports whether a caller's id is refused: an id is 1 to [MaxIDLength] bytes without
// control characters. The error is an [*Error] that names the field.
func CheckID(field, id string) error {
	if fault := idFault(id); fault != "" {
		return ErrInvalidParams(field, fault)
	}
	return nil
}

// idFault says what is wrong with an id; nothing if it is empty.
func idFault(id string) string {
	switch {
	case id == "":
		return "is required"
	case len(id) > MaxIDLength:
		return fmt.Sprintf("must be at most %d bytes", MaxIDLength)
	case hasControl(id):
		return "must have no control characters"
	}
	return ""
}

func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// require fails a member that no reader can do without.
func (o *object) require(name string, ok bool) {
	if !ok {
		o.at(name).fail("is required")
	}
}

// oneOf demands that exactly one of the members is set.
func (o *object) oneOf(set ...bool) {
	if countTrue(set) != 1 {
		o.fail("must have exactly one payload")
	}
}

// atMostOne demands that no two of the members are set. None may be: what is set may be of a kind
// that a later version of the protocol adds.
func (o *object) atMostOne(set ...bool) {
	if countTrue(set) > 1 {
		o.fail("must be of one kind only")
	}
}

func countTrue(set []bool) int {
	n := 0
	for _, s := range set {
		if s {
			n++
		}
	}
	return n
}

// The methods below hold a caller to the rules, and only a caller.

// id reads an optional id.
func (o *object) id(name string) string {
	id := o.text(name)
	if id != "" {
		o.checkID(o.at(name), id)
	}
	return id
}

// requiredID reads an id that must be there.
func (o *object) requiredID(name string) string {
	id := o.text(name)
	o.checkID(o.at(name), id)
	return id
}

// ids reads an array of ids.
func (o *object) ids(name string) []string {
	ids := o.texts(name)
	for i, id := range ids {
		n := o.at(name)
		n.index = i
		o.checkID(n, id)
	}
	return ids
}

func (o *object) checkID(at node, id string) {
	if fault := idFault(id); fault != "" && o.report.fromCaller {
		at.fail(fault)
	}
}

// headerText reads text that goes into an HTTP header of a delivery: with a line break in it a
// caller could write headers of its own.
func (o *object) headerText(name string) string {
	text := o.text(name)
	if hasControl(text) {
		o.demand(name, false, "must have no control characters")
	}
	return text
}

// tooMany reports whether a caller's array or metadata has more than n entries already, and fails
// it: bounds hold before memory is spent.
func (n node) tooMany(entries int) bool {
	if !n.report.fromCaller || entries <= MaxEntries {
		return false
	}
	n.fail(fmt.Sprintf("must have at most %d entries", MaxEntries))
	return true
}

// demand fails a member of a caller's object unless ok.
func (o *object) demand(name string, ok bool, description string) {
	if o.report.fromCaller && !ok {
		o.at(name).fail(description)
	}
}

// historyLength reads a count that must not be negative (SPEC-06).
func (o *object) historyLength() *int32 {
	n := o.number("historyLength")
	o.demand("historyLength", n == nil || *n >= 0, "must not be negative")
	return n
}
