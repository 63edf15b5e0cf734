package crash

import (
	"time"

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
	// cancelAt is the number of the call just before which the caller cancels, answerAt the one just
	// before which the caller answers what is open, or consents to what may come; 0: never.
	cancelAt, answerAt int
	twice              bool // every poke and every answer comes twice, and a rival's answer beside it
	// silent are tools whose approval nobody gives; questions are answered unless "ask_user" is one.
	silent map[string]bool
	late   map[string]time.Duration // tools whose approval comes that long before it expires
	front  string                   // more of a loop's front matter
	// contended: two tasks of one context begin and end at the same time.
	contended bool
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
		script:  "approve a/one; crash; sleep NAP; say end",
		class:   task.ClassIdempotent,
		approve: map[string]bool{"one": true},
	},
	{
		name:     "cancel",
		script:   "say begin; approve a/one; sleep NAP; approve a/two; say end",
		approve:  map[string]bool{"one": true, "two": true},
		cancelAt: 14,
	},
}

// tasks is how many tasks of one context the callers begin at the same time.
func (s scenario) tasks() int {
	if s.contended {
		return 2
	}
	return 1
}

// consents reports whether the caller says yes to i.
func (s scenario) consents(i interaction.Interaction) bool {
	if i.ID != i.EffectID() {
		return s.resend
	}
	return i.Detail == nil || s.approve[i.Detail.Tool]
}

// reply is what a caller says to an interaction of r.
func reply(r *task.Record, i interaction.Interaction, yes bool) a2a.Message {
	m := a2a.Message{
		MessageID: "answer:" + i.ID, TaskID: r.ID, ContextID: r.ContextID, Role: a2a.RoleUser,
		Parts: []a2a.Part{{Content: a2a.Text(map[bool]string{true: "the first", false: "the second"}[yes])}},
	}
	if i.Kind != interaction.Approval {
		return m
	}
	entry, _ := a2a.Marshal(map[string]any{"interactionId": i.ID, "approved": yes})
	m.Extensions = []string{interaction.URI}
	m.Metadata = a2a.Metadata{interaction.URI: entry}
	return m
}
