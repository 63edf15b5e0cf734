package crash

import (
	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// scenario is what a caller does.
type scenario struct {
	name   string
	script string
	class  task.EffectClass
	// approve says how the caller answers the approval of a call, by its tool; a resend of a
	// write is approved where resend says so.
	approve map[string]bool
	resend  bool
	// cancelAt is the number of the call at which the caller cancels; 0: never.
	cancelAt int
	twice    bool // every poke and every answer comes twice, and a rival's answer behind it
	// silent are tools whose approval nobody gives; questions are answered unless "ask_user" is one.
	silent map[string]bool
	late   map[string]bool // tools whose approval comes just when it expires
	rival  bool            // another task of the context completes just before this one does
	front  string          // more of a loop's front matter
	// loop are the calls that the model of a loop wants, a step each; nil: the agent plays the script.
	loop []string
}

// scenarios cover every kind of write of the protocol that exists.
var scenarios = []scenario{
	{
		name:    "approve-deny-ask",
		script:  "say begin; approve github/merge; approve github/delete too risky; ask which?; say end",
		approve: map[string]bool{"merge": true, "delete": false},
		resend:  true,
	},
	{
		name:    "together",
		script:  "approve a/one & approve a/two & ask which?; artifact text done",
		approve: map[string]bool{"one": true, "two": true},
		twice:   true,
	},
	{
		name:    "idempotent",
		script:  "approve a/one; crash; sleep 20s; say end",
		class:   task.ClassIdempotent,
		approve: map[string]bool{"one": true},
	},
	{
		name:     "cancel",
		script:   "say begin; approve a/one; sleep 15s; approve a/two; say end",
		approve:  map[string]bool{"one": true, "two": true},
		cancelAt: 14,
	},
}

// answers is what the caller says to an open interaction.
func (s scenario) answer(r *task.Record, i interaction.Interaction) a2a.Message {
	m := a2a.Message{
		MessageID: "answer:" + i.ID, TaskID: r.ID, ContextID: r.ContextID, Role: a2a.RoleUser,
		Parts: []a2a.Part{{Content: a2a.Text("the first")}},
	}
	if i.Kind != interaction.Approval {
		return m
	}
	yes := s.approve[i.Detail.Tool]
	if i.ID != i.EffectID() {
		yes = s.resend
	}
	entry, _ := a2a.Marshal(map[string]any{"interactionId": i.ID, "approved": yes})
	m.Extensions = []string{interaction.URI}
	m.Metadata = a2a.Metadata{interaction.URI: entry}
	return m
}
