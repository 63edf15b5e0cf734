package dynamodb

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// expression gathers the parts of an update or a condition, with the names and values they use.
// Attributes are always named by placeholders: many of their names are reserved words.
type expression struct {
	set, remove, conditions []string
	names                   map[string]string
	values                  item
}

func newExpression() *expression {
	return &expression{names: map[string]string{}, values: item{}}
}

// name is the placeholder of an attribute.
func (e *expression) name(attribute string) string {
	e.names["#"+attribute] = attribute
	return "#" + attribute
}

// value is a placeholder of a value.
func (e *expression) value(v types.AttributeValue) string {
	p := fmt.Sprintf(":v%d", len(e.values))
	e.values[p] = v
	return p
}

// assign sets attributes, and removes those that are nil.
func (e *expression) assign(attributes item) {
	for _, a := range slices.Sorted(maps.Keys(attributes)) {
		if v := attributes[a]; v != nil {
			e.set = append(e.set, e.name(a)+" = "+e.value(v))
		} else {
			e.remove = append(e.remove, e.name(a))
		}
	}
}

// add raises a number.
func (e *expression) add(attribute string, n uint64) {
	e.set = append(e.set, fmt.Sprintf("%[1]s = %[1]s + %[2]s", e.name(attribute), e.value(num(n))))
}

// append puts values behind a list's.
func (e *expression) append(attribute string, values []types.AttributeValue) {
	e.set = append(e.set, fmt.Sprintf("%[1]s = list_append(%[1]s, %[2]s)", e.name(attribute),
		e.value(&types.AttributeValueMemberL{Value: values})))
}

// where adds a condition on an attribute: an operator and a value.
func (e *expression) where(attribute, operator string, v types.AttributeValue) {
	e.conditions = append(e.conditions, e.name(attribute)+" "+operator+" "+e.value(v))
}

func (e *expression) update() *string {
	var out []string
	if len(e.set) > 0 {
		out = append(out, "SET "+strings.Join(e.set, ", "))
	}
	if len(e.remove) > 0 {
		out = append(out, "REMOVE "+strings.Join(e.remove, ", "))
	}
	s := strings.Join(out, " ")
	return &s
}

func (e *expression) condition() *string {
	s := strings.Join(e.conditions, " AND ")
	return &s
}
