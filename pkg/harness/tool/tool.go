// Package tool is the port of tool servers: what tools there are, and calling one.
//
// The loop (pkg/harness) decides whether a call is made and makes it under a context that ends
// before its lease. An adapter makes one attempt, never repeats one by itself, and tells of an
// attempt that failed whether it may have reached the server: that alone decides what may be done
// next.
package tool

import (
	"context"
	"encoding/json"
)

// Server is one tool server, as one run reaches it. It is safe for concurrent use.
type Server interface {
	// List returns the tools that the definition allows, sorted by name. An error is a *[NeedsConnection]
	// or any other.
	List(ctx context.Context) ([]Tool, error)

	// Call makes one attempt of a call.
	Call(ctx context.Context, c Call) Outcome
}

// Tool is a tool as its server describes it. A turn keeps the tools that it began with.
type Tool struct {
	Server      string          `json:"server"`
	Name        string          `json:"name"` // the server's own
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"` // of its arguments: an object
	// Hints are the server's own words about the tool; only a trusted server's count.
	ReadOnly   bool   `json:"readOnly,omitempty"`
	Idempotent bool   `json:"idempotent,omitempty"`
	Hash       string `json:"hash"` // of all of the server's description: another one is another tool
}

// Call is a call as it was frozen.
type Call struct {
	Tool      string          // the server's own name
	Arguments json.RawMessage // a JSON object, as the model wrote it
	// EffectID goes along as the idempotency key, in _meta.
	EffectID string
	// Hash is the tool's description as the call was planned; a server that now has another one
	// answers [Changed] and is not called. Empty: any.
	Hash string
	// Late is asked right before the call is written: an error stops it. Nil: it is never too late.
	Late func() error
}

// Outcome is what an attempt came to: [Answered], [NotSent], [Unknown], [Changed] or [NeedsConnection].
type Outcome interface{ outcome() }

type (
	// Answered is the server's own answer, an error of the tool included.
	Answered struct {
		Text  string // for the model: structured content as JSON, else the text; cut at its bound
		Error bool
	}
	// NotSent is an attempt that surely had no effect: no connection, or a refusal before the tool
	// ran. Passing: it may help to try again.
	NotSent struct {
		Reason  string
		Passing bool
	}
	// Unknown is an attempt that may have had its effect: it was sent, and no answer came.
	Unknown struct{ Reason string }
	// Changed says that the tool is not the one that was planned with.
	Changed struct{}
)

// NeedsConnection says that the server refused the token, or its scope: a person has to connect
// the app. The call had no effect.
type NeedsConnection struct {
	App    string // the connection's name
	Reason string
}

func (*NeedsConnection) Error() string { return "tool: the server wants another token" }

func (Answered) outcome()         {}
func (NotSent) outcome()          {}
func (Unknown) outcome()          {}
func (Changed) outcome()          {}
func (*NeedsConnection) outcome() {}
