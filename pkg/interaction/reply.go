package interaction

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// maxReason is how many characters of the words beside a denial reach the agent.
const maxReason = 500

// field is where an answer stands in a request, for field violations.
const field = `message.metadata["` + URI + `"]`

// Reply is what a caller's message says to a paused task, before it is known whether it fits what
// is open. With an InteractionID it is an answer of this extension; without, a plain reply.
type Reply struct {
	InteractionID string
	approved      *bool
	value         json.RawMessage // nil: absent
	text          string
	data          json.RawMessage // first data part; nil: none
}

// Answer is a reply that was accepted for an interaction, as the record keeps it and the agent
// gets it.
type Answer struct {
	InteractionID string `json:"interactionId"`
	Kind          Kind   `json:"kind"`
	// Approved is the answer to an approval.
	Approved bool `json:"approved,omitempty"`
	// Value is the answer to a question or a connection: any JSON value (INT-15).
	Value json.RawMessage `json:"value,omitempty"`
	// Reason is what a person wrote beside a denial, at most 500 characters.
	Reason string `json:"reason,omitempty"`
	// Expired says that nobody answered in time: there is neither an approval nor a value.
	Expired bool `json:"expired,omitempty"`
	// ApprovedBy is the subject that answered (INT-18, R-12).
	ApprovedBy string    `json:"approvedBy,omitempty"`
	MessageID  string    `json:"messageId,omitempty"`
	At         time.Time `json:"at"`
}

// Connected reads the answer to a connection: true and {"connected": true} mean yes, any other
// value no (CONN-06, CONN-07).
func (a Answer) Connected() bool {
	if yes := asBool(a.Value); yes != nil {
		return *yes
	}
	var object map[string]json.RawMessage // not a struct, which would match names in any case
	if json.Unmarshal(a.Value, &object) != nil {
		return false
	}
	yes := asBool(object["connected"])
	return yes != nil && *yes
}

// IsAnswer reports whether m is an answer of this extension, well-formed or not: it lists the URI
// and carries its metadata entry.
func IsAnswer(m a2a.Message) bool {
	_, ok := m.Metadata[URI]
	return ok && slices.Contains(m.Extensions, URI)
}

// ReadReply reads what m says. A malformed answer of this extension is an invalid-params error
//
func ReadReply(m a2a.Message) (Reply, error) {
	r := plain(m)
	if !IsAnswer(m) {
		return r, nil
	}
	entry := m.Metadata[URI]
	var fields map[string]json.RawMessage
	if json.Unmarshal(entry, &fields) != nil || fields == nil {
		return r, a2a.ErrInvalidParams(field, "must be an object")
	}
	if json.Unmarshal(fields["interactionId"], &r.InteractionID) != nil {
		return r, a2a.ErrInvalidParams(field+".interactionId", "must be a string")
	}
	if err := a2a.CheckID(field+".interactionId", r.InteractionID); err != nil {
		return r, err
	}
	r.value = fields["value"]
	if b, ok := fields["approved"]; ok {
		r.approved = asBool(b)
		if r.approved == nil {
			return r, a2a.ErrInvalidParams(field+".approved", "must be a boolean")
		}
	}
	if r.approved == nil && r.value == nil {
		return r, a2a.ErrInvalidParams(field, "must have approved or value")
	}
	return r, nil
}

// plain reads text and data of m, which answer questions without the extension (INT-12, R-49).
func plain(m a2a.Message) Reply {
	var r Reply
	var text []string
	for _, p := range m.Parts {
		switch c := p.Content.(type) {
		case a2a.Text:
			text = append(text, string(c))
		case a2a.Data:
			if r.data == nil {
				r.data = json.RawMessage(c)
			}
		}
	}
	r.text = strings.Join(text, "\n")
	return r
}

func asBool(b json.RawMessage) *bool {
	switch string(bytes.TrimSpace(b)) {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	return nil
}

// Default is the value a plain reply gives a question: its first data part's value, else its text
// (SRV-04 as R-49 settles it).
func Default(m a2a.Message, _ Interaction) (json.RawMessage, error) {
	r := plain(m)
	if r.data != nil {
		return r.data, nil
	}
	if r.text == "" {
		return nil, a2a.ErrInvalidParams("message.parts", "must have a text or a data part to answer the question")
	}
	return a2a.Marshal(r.text)
}

// Resolve holds r against the open interaction: the id first, then the value the kind takes
// . value reads a plain reply to a question, nil meaning [Default]. taskID goes into
// refusals.
func (r Reply) Resolve(m a2a.Message, open Interaction, taskID string, value func(a2a.Message, Interaction) (json.RawMessage, error)) (Answer, error) {
	if r.InteractionID == "" {
		return r.resolvePlain(m, open, taskID, value)
	}
	if r.InteractionID != open.ID {
		return Answer{}, refuse("The interaction is not open", open, taskID)
	}
	a := Answer{InteractionID: open.ID, Kind: open.Kind, MessageID: m.MessageID}
	if open.Kind != Approval {
		a.Value = r.value
		if a.Value == nil {
			a.Value, _ = json.Marshal(*r.approved) // ANS-06
		}
		return a, nil
	}
	approved := r.approved
	if approved == nil {
		approved = asBool(r.value) // ANS-07
	}
	if approved == nil {
		return Answer{}, a2a.ErrInvalidParams(field+".value", "must be a boolean to answer an approval")
	}
	a.Approved = *approved
	if !a.Approved {
		a.Reason = cut(r.text, maxReason)
	}
	return a, nil
}

func (r Reply) resolvePlain(m a2a.Message, open Interaction, taskID string, value func(a2a.Message, Interaction) (json.RawMessage, error)) (Answer, error) {
	if open.Kind != Question {
		return Answer{}, refuse("Text does not answer the open "+string(open.Kind), open, taskID)
	}
	if value == nil {
		value = Default
	}
	v, err := value(m, open)
	if err != nil {
		return Answer{}, err
	}
	return Answer{InteractionID: open.ID, Kind: Question, Value: v, MessageID: m.MessageID}, nil
}

// refuse is the refusal of an answer, with what a client needs to recover.
func refuse(message string, open Interaction, taskID string) error {
	return a2a.ErrUnsupported(message, map[string]string{
		"taskId": taskID, "interactionId": open.ID, "kind": string(open.Kind),
	})
}
