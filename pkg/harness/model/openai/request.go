package openai

import (
	"encoding/json"

	"github.com/interlude-a2a/interlude/pkg/harness/model"
)

// request is the body of a call.
func (c *Client) request(r model.Request) map[string]any {
	body := map[string]any{
		"model":          r.Model,
		"messages":       c.messages(r),
		"stream":         true,
		"stream_options": map[string]any{"include_usage": true},
	}
	if r.MaxTokens > 0 {
		body[c.o.MaxTokensField] = r.MaxTokens
	}
	if len(r.Tools) > 0 {
		tools := make([]any, len(r.Tools))
		for i, t := range r.Tools {
			tools[i] = map[string]any{"type": "function", "function": map[string]any{
				"name": t.Name, "description": t.Description, "parameters": t.Schema,
			}}
		}
		body["tools"] = tools
	}
	return body
}

func (c *Client) messages(r model.Request) (all []any) {
	if r.System != "" {
		all = append(all, map[string]any{"role": "system", "content": r.System})
	}
	for _, m := range r.Messages {
		switch {
		case m.Role == model.RoleTool:
			for _, res := range m.Results {
				all = append(all, map[string]any{"role": "tool", "tool_call_id": res.CallID, "content": res.Text})
			}
		case m.Raw != nil && m.From == c.from(r.Model):
			all = append(all, m.Raw)
		case m.Role == model.RoleAssistant:
			all = append(all, assistant(m))
		default:
			all = append(all, map[string]any{"role": "user", "content": m.Text})
		}
	}
	return all
}

// assistant is a message of a model in the form that every endpoint takes.
func assistant(m model.Message) map[string]any {
	out := map[string]any{"role": "assistant", "content": m.Text}
	var calls []any
	for _, c := range m.Calls {
		calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{
			"name": c.Name, "arguments": text(c.Arguments),
		}})
	}
	if calls != nil {
		out["tool_calls"] = calls
	}
	return out
}

// text is arguments as the string of JSON that they travel as. A string is what was no JSON.
func text(arguments json.RawMessage) string {
	var s string
	if json.Unmarshal(arguments, &s) == nil {
		return s
	}
	return string(arguments)
}
