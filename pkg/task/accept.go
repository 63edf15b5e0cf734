package task

import (
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
)

// Acceptance is a message that starts a task.
type Acceptance struct {
	Key         Key
	ContextID   string
	Message     a2a.Message
	Principal   access.Principal
	OutputModes []string
	Streams     bool // the caller reads the text as it is written
	Born        string
	Shown       bool // the caller will know of the task whatever becomes of it
	At          time.Time
}

// Accept makes the record and the first events of a new task: the message, then SUBMITTED.
func Accept(a Acceptance) (*Record, []Event) {
	m := a.Message
	m.TaskID, m.ContextID = a.Key.ID, a.ContextID
	c := Change{Next: Record{
		Key:       a.Key,
		ContextID: a.ContextID,
		Born:      a.Born,
		Request:   a2a.ContentHash(a.Message),
		Revision:  1,
		Fence:     uint64(a.At.UnixMilli()),
		Run:       Run{Kind: RunInvoke, Principal: a.Principal, OutputModes: a.OutputModes, Streams: a.Streams},
		Shown:     a.Shown,
		CreatedAt: stamp(a.At),
		UpdatedAt: stamp(a.At),
	}}
	c.add(a.At, Event{Message: &m})
	c.status(a.At, a2a.TaskStateSubmitted, nil)
	c.wake(a.At)
	return &c.Next, c.Events
}

// Created tells whether the record that a refused create met answers the call all the same: it is
// the one this call made, or, made under the same idempotency key, a task for the same content
// . Another content under the same key is an invalid-params error.
func Created(made, met *Record) error {
	if met.Born == made.Born || met.Request == made.Request {
		return nil
	}
	return a2a.ErrInvalidParams("Idempotency-Key", "was used for a message of another content")
}
