package openai

import (
	"encoding/json"
	"slices"
	"strings"
)

// extras are the fields of a message, or of a call, that are the provider's own. They come in pieces,
// which for text that a model reasons in are thousands.
type extras map[string]*extra

// extra is a field: text that grows, or else its last value.
type extra struct {
	text  strings.Builder
	value json.RawMessage // nil: it is text
}

// add takes up the fields of an object that are none of those known.
func (e *extras) add(raw json.RawMessage, known ...string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return
	}
	for name, v := range fields {
		if slices.Contains(known, name) || string(v) == "null" {
			continue
		}
		if *e == nil {
			*e = extras{}
		}
		f := (*e)[name]
		var piece string
		if json.Unmarshal(v, &piece) != nil {
			(*e)[name] = &extra{value: v}
			continue
		}
		if f == nil || f.value != nil {
			f = &extra{}
			(*e)[name] = f
		}
		f.text.WriteString(piece)
	}
}

// copyTo copies the fields as they have become.
func (e extras) copyTo(object map[string]any) {
	for name, f := range e {
		if object[name] = f.text.String(); f.value != nil {
			object[name] = f.value
		}
	}
}
