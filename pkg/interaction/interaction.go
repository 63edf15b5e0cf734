package interaction

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// URI names the extension on cards, in messages and in activations (INT-01).
const URI = "https://docs.nylorun.com/a2a/interactions/v1"

// Kind says what a paused task waits for (INT-05).
type Kind string

// The three kinds.
const (
	Approval   Kind = "approval"
	Question   Kind = "question"
	Connection Kind = "connection"
)

// State is the task state a pause for k puts the task in (INT-09).
func (k Kind) State() a2a.TaskState {
	if k == Question {
		return a2a.TaskStateInputRequired
	}
	return a2a.TaskStateAuthRequired
}

// Interaction is what a paused task waits for, as callers see it (INT-04 to INT-07). It never
// holds a call's arguments.
type Interaction struct {
	ID     string  `json:"interactionId"`
	Kind   Kind    `json:"kind"`
	Prompt string  `json:"prompt"`
	Detail *Detail `json:"detail,omitempty"`
}

// Detail says what an interaction is about: server, tool and reason of a held call, or app and
// reason of a connection.
type Detail struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	App    string `json:"app,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// NewApproval asks for a held call to be approved (INT-08). Its id is the effect's.
func NewApproval(effectID, server, tool, reason string) Interaction {
	return Interaction{
		ID:     effectID,
		Kind:   Approval,
		Prompt: "Approve " + server + " / " + tool + "?",
		Detail: &Detail{Server: server, Tool: tool, Reason: reason},
	}
}

// NewResend asks whether a call that may already have been made is to be made again. It is
// a further round about the same effect, so it has an id of its own.
func NewResend(effectID string, round int, server, tool string) Interaction {
	return Interaction{
		ID:     effectID + "." + strconv.Itoa(round),
		Kind:   Approval,
		Prompt: server + " / " + tool + " may already have run. Send it again?",
		Detail: &Detail{Server: server, Tool: tool, Reason: "The connection was lost after the call was sent."},
	}
}

// NewQuestion asks the caller something.
func NewQuestion(id, question string) Interaction {
	return Interaction{ID: id, Kind: Question, Prompt: question}
}

// NewConnection asks for an app to be connected (CONN-03, CONN-04): app is cut at 80 characters,
// reason at 280.
func NewConnection(id, app, reason string) Interaction {
	app, reason = cut(app, 80), cut(reason, 280)
	return Interaction{
		ID:     id,
		Kind:   Connection,
		Prompt: "Connect " + app + ": " + reason,
		Detail: &Detail{App: app, Reason: reason},
	}
}

// cut returns the first n characters of s.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// EffectID is the effect an approval is about: its id without the round.
func (i Interaction) EffectID() string {
	id, _, _ := strings.Cut(i.ID, ".")
	return id
}

// Message is the status message that carries i (INT-03).
func (i Interaction) Message(messageID, taskID, contextID string) a2a.Message {
	return a2a.Message{
		MessageID:  messageID,
		TaskID:     taskID,
		ContextID:  contextID,
		Role:       a2a.RoleAgent,
		Parts:      []a2a.Part{{Content: a2a.Text(i.Prompt)}},
		Extensions: []string{URI},
		Metadata:   a2a.Metadata{URI: i.json()},
	}
}

func (i Interaction) json() json.RawMessage {
	b, err := a2a.Marshal(i)
	if err != nil {
		panic("interaction: " + err.Error()) // strings only: cannot fail
	}
	return b
}
