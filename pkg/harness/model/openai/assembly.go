package openai

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/harness/model"
)

// chunk is one event of a stream.
type chunk struct {
	Choices []struct {
		Index        int             `json:"index"`
		Delta        json.RawMessage `json:"delta"`
		Message      json.RawMessage `json:"message"` // of servers that answer whole
		FinishReason *string         `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     float64 `json:"prompt_tokens"` // whole, but written as some like
		Completion float64 `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// delta is a piece of a message. What else it holds is in more.
type delta struct {
	Content *string     `json:"content"`
	Calls   []callDelta `json:"tool_calls"`
}

type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// assembly puts an answer together.
type assembly struct {
	text func(string)
	from string

	content strings.Builder
	more    extras // of the message
	calls   []*callDraft
	usage   model.Usage
	finish  string
	done    bool
}

// callDraft is a call on its way.
type callDraft struct {
	said, id  string // as the provider says it, and as no other call has it
	name      string
	index     int
	arguments strings.Builder
	open      brackets // of the arguments
	more      extras
}

// add takes up one event.
func (a *assembly) add(event []byte) error {
	if string(event) == "[DONE]" {
		a.done = true
		return nil
	}
	var c chunk
	if err := json.Unmarshal(event, &c); err != nil {
		return &model.Error{Kind: model.KindCut, Reason: "an event of the stream is not JSON"}
	}
	switch string(c.Error) {
	case "", "null", "false", `""`, "{}": // some say that there is none
	default:
		return errStreamed(string(c.Error))
	}
	if c.Usage != nil {
		a.usage = model.Usage{Input: tokens(c.Usage.Prompt), Output: tokens(c.Usage.Completion)}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 { // one answer was asked for
			continue
		}
		if err := a.delta(choice.Delta); err != nil {
			return err
		}
		if a.content.Len() == 0 && len(a.calls) == 0 { // else it says the same once more
			if err := a.delta(choice.Message); err != nil {
				return err
			}
		}
		if choice.FinishReason != nil && *choice.FinishReason != "" {
			a.finish = *choice.FinishReason
		}
	}
	return nil
}

// maxTokens is beyond what any call can use.
const maxTokens = 1 << 30

// tokens is a count that a budget can be held to.
func tokens(n float64) int { return int(min(max(n, 0), maxTokens)) }

func (a *assembly) delta(raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var d delta
	if err := json.Unmarshal(raw, &d); err != nil {
		return &model.Error{Kind: model.KindCut, Reason: "a piece of the answer has another shape"}
	}
	if d.Content != nil && *d.Content != "" {
		a.content.WriteString(*d.Content)
		a.text(*d.Content)
	}
	a.more.add(raw, "role", "content", "tool_calls")
	var wrapped struct {
		Calls []json.RawMessage `json:"tool_calls"`
	}
	_ = json.Unmarshal(raw, &wrapped) // as above
	for i, c := range d.Calls {
		draft := a.call(c)
		if len(a.calls) > maxCalls {
			return &model.Error{Kind: model.KindCut, Reason: "the answer wants too many calls"}
		}
		draft.more.add(wrapped.Calls[i], "index", "id", "type", "function")
		draft.grow(c)
	}
	return nil
}

// maxCalls is the most calls of an answer: many more than are made at once.
const maxCalls = 256

// call is the draft that a piece belongs to: that of its id, else of its index, else the last.
func (a *assembly) call(c callDelta) *callDraft {
	known := a.known(c)
	switch {
	case known != nil && !known.another(c):
		return known
	case known == nil && c.ID != "" && c.Function.Name == "" && c.Index != nil:
		// Pieces of an id after pieces without: the same call, if its place says so.
		if d := a.at(*c.Index); d != nil && d.said == "" {
			return d
		}
	}
	d := &callDraft{said: c.ID, index: len(a.calls)}
	if known == nil {
		d.id = c.ID // else two calls have one, and the second gets one of its own
	}
	if c.Index != nil {
		d.index = *c.Index
	}
	a.calls = append(a.calls, d)
	return d
}

// known is the draft that a piece names; nil: none.
func (a *assembly) known(c callDelta) *callDraft {
	switch {
	case c.ID != "":
		var first *callDraft
		for _, d := range slices.Backward(a.calls) {
			if d.said == c.ID {
				if first = d; c.Index != nil && d.index == *c.Index {
					break
				}
			}
		}
		return first
	case c.Index != nil:
		if d := a.at(*c.Index); d != nil && (c.Function.Name == "" || d.name == c.Function.Name && !d.closed()) {
			return d // some say the name with each piece
		}
	case c.Function.Name == "" && len(a.calls) > 0:
		return a.calls[len(a.calls)-1]
	}
	return nil
}

// another reports whether a piece under the draft's id begins another call.
func (d *callDraft) another(c callDelta) bool {
	return c.Index != nil && *c.Index != d.index && c.Function.Name != "" && c.Function.Name != d.name
}

// at is the newest draft of an index.
func (a *assembly) at(index int) *callDraft {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if a.calls[i].index == index {
			return a.calls[i]
		}
	}
	return nil
}

// grow adds a piece.
func (d *callDraft) grow(c callDelta) {
	if d.said == "" {
		d.said, d.id = c.ID, c.ID
	}
	if d.name == "" {
		d.name = c.Function.Name
	}
	var piece string
	switch {
	case len(c.Function.Arguments) == 0 || string(c.Function.Arguments) == "null":
		return
	case json.Unmarshal(c.Function.Arguments, &piece) != nil:
		piece = string(c.Function.Arguments) // an object, whole
	}
	d.arguments.WriteString(piece)
	d.open.read(piece)
}

// closed reports whether an object of arguments has ended.
func (d *callDraft) closed() bool { return d.open.begun && d.open.depth <= 0 }

// brackets counts those of JSON that comes in pieces, each of which is read once.
type brackets struct {
	depth           int
	begun           bool
	quoted, escaped bool
}

func (b *brackets) read(piece string) {
	for _, c := range []byte(piece) {
		switch {
		case b.escaped:
			b.escaped = false
		case b.quoted && c == '\\':
			b.escaped = true
		case c == '"':
			b.quoted = !b.quoted
		case b.quoted:
		case c == '{' || c == '[':
			b.begun = true
			b.depth++
		case c == '}' || c == ']':
			b.depth--
		}
	}
}

// whole is the answer, if it ended.
func (a *assembly) whole() (*model.Response, error) {
	if !a.done && a.finish == "" {
		return nil, &model.Error{Kind: model.KindCut, Reason: "the stream ended before the answer did"}
	}
	m := model.Message{Role: model.RoleAssistant, Text: a.content.String(), From: a.from}
	r := &model.Response{Usage: a.usage, Stop: model.StopEnd}
	switch a.finish {
	case "length", "max_tokens":
		r.Stop, r.Message, r.Dropped = model.StopLength, m, len(a.calls) > 0 // its calls may be cut
		return r, nil
	case "content_filter":
		r.Stop, r.Message = model.StopFiltered, m
		return r, nil
	case "error", "malformed_function_call":
		return nil, &model.Error{Kind: model.KindCut, Reason: "the endpoint failed before the answer ended"}
	case "":
		if m.Text == "" && len(a.calls) == 0 {
			return nil, &model.Error{Kind: model.KindCut, Reason: "the stream ended without an answer"}
		}
	}
	for i, d := range a.calls {
		if d.name == "" {
			return nil, &model.Error{Kind: model.KindCut, Reason: "a call names no tool"}
		}
		if d.id == "" {
			d.id = a.freeID(i)
		}
		m.Calls = append(m.Calls, model.Call{ID: d.id, Name: d.name, Arguments: json.RawMessage(d.arguments.String())})
	}
	if len(m.Calls) > 0 {
		r.Stop = model.StopCalls
	}
	m.Raw = a.raw(m)
	r.Message = m
	return r, nil
}

// freeID is an id for a call that came without one.
func (a *assembly) freeID(i int) string {
	id := fmt.Sprintf("call_%d", i)
	for slices.ContainsFunc(a.calls, func(d *callDraft) bool { return d.id == id }) {
		id += "_"
	}
	return id
}

// raw is the message as the provider would have sent it whole.
func (a *assembly) raw(m model.Message) json.RawMessage {
	out := map[string]any{}
	a.more.copyTo(out)
	maps.Copy(out, assistant(m))
	if calls, ok := out["tool_calls"].([]any); ok {
		for i, d := range a.calls {
			d.more.copyTo(calls[i].(map[string]any))
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return b
}
