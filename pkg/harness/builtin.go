package harness

import (
	"encoding/json"
	"strconv"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// described are the built-in tools as models are told of them, by name.
var described = map[string]tool.Tool{
	definition.AskUser: {
		Description: "Asks the person you work for a question, and waits for the answer. Use it when you cannot go on without knowing.",
		Schema:      json.RawMessage(`{"type":"object","properties":{"question":{"type":"string","minLength":1,"maxLength":4000}},"required":["question"],"additionalProperties":false}`),
	},
	definition.RequestConnection: {
		Description: "Asks the person you work for to connect an app that you need, and waits until they have, or decline.",
		Schema: json.RawMessage(`{"type":"object","properties":{"app":{"type":"string","minLength":1},` +
			`"reason":{"type":"string"}},"required":["app","reason"],"additionalProperties":false}`),
	},
}

// builtins are the built-in tools that a definition switches on.
func builtins(l definition.Loop) (tools []tool.Tool) {
	for _, name := range l.Builtins() {
		t := described[name]
		t.Server, t.Name = definition.Builtin, name
		tools = append(tools, t)
	}
	return tools
}

// question is what a built-in call asks.
func (c call) question(id string) interaction.Interaction {
	var in struct{ Question, App, Reason string }
	_ = json.Unmarshal(c.Arguments, &in) // held to the schema when it was planned
	if c.Tool == definition.RequestConnection {
		return interaction.NewConnection(id, in.App, in.Reason)
	}
	return interaction.NewQuestion(id, in.Question)
}

// tooLong reports whether a person can't be asked for the length of it, in bytes of JSON: of the question
// or of all that its message asks together.
func (s *slice) tooLong(c *call, earlier []string) bool {
	size := c.questionSize()
	all := size
	for _, id := range earlier {
		if other := s.ledger.calls[id]; other.Server == definition.Builtin {
			all += other.questionSize()
		}
	}
	return size > task.MaxInteraction-idRoom || all > task.MaxPending/2
}

func (c call) questionSize() int {
	b, err := a2a.Marshal(c.question(""))
	if err != nil {
		return task.MaxPending
	}
	return len(b)
}

// idRoom is what an interaction's id and times may take.
const idRoom = 1 << 10

// told is what the model is told of the answer to a built-in call (CONN-06).
func (c call) told(a interaction.Answer) result {
	switch {
	case a.Expired:
		return result{Code: codeExpired, Text: noAnswer}
	case c.Tool != definition.RequestConnection:
		return result{Text: string(a.Value)}
	}
	app := c.question("").Detail.App
	if a.Connected() {
		return result{Text: "Connected: " + app}
	}
	return result{Text: "Not connected: " + app}
}

// round is the id of an interaction's further rounds.
func round(id string, n int) string {
	if n <= 1 {
		return id
	}
	return id + "." + strconv.Itoa(n)
}
