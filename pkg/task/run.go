package task

import (
	"maps"
	"slices"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
)

// AgentError says that an agent did what the rules don't allow. The task fails; Reason is for its
// caller to read.
type AgentError struct{ Reason string }

func (e *AgentError) Error() string { return "task: " + e.Reason }

// Advance commits a step of a run: a plan, an outcome, a checkpoint, or text for the caller.
func Advance(r *Record, s Step, w Write) (*Change, error) {
	c, err := beginStep(r, s, w)
	if err != nil {
		return nil, err
	}
	if s.progresses() {
		c.Next.Attempts = 0
	}
	return c, nil
}

// Intent records, before its call goes out, that an effect is sent by this run. An effect
// sent by an earlier run is sent again only if that does no harm (protocol rule 5).
func Intent(r *Record, effectID string, w Write) (*Change, error) {
	c, err := beginRun(r, w)
	if err != nil {
		return nil, err
	}
	e := r.Effects[effectID]
	resend := e.State == EffectSent && e.Fence < r.Fence && e.Class.repeatable()
	if e.State != EffectApproved && !resend {
		return nil, &AgentError{Reason: "a call was to be sent that is not approved"}
	}
	e.State, e.Fence = EffectSent, r.Fence
	c.Next.Effects[effectID] = e
	return c, nil
}

// Yield ends a slice whose time is up: the run goes on in another one.
func Yield(r *Record, s Step, w Write) (*Change, error) {
	c, err := beginStep(r, s, w)
	if err != nil {
		return nil, err
	}
	c.Next.Lease = nil
	c.Next.Attempts = 0
	c.Next.Hops++
	c.wake(w.At)
	return c, nil
}

// Pause stops the task until a person answers the first of its pending interactions, to which
// asks are added (INT-02, INT-09, R-06).
func Pause(r *Record, asks []interaction.Interaction, s Step, w Write) (*Change, error) {
	c, err := beginStep(r, s, w)
	if err != nil {
		return nil, err
	}
	for _, ask := range asks {
		if err := c.ask(ask); err != nil {
			return nil, err
		}
	}
	if len(c.Next.Pending) == 0 {
		return nil, &AgentError{Reason: "the agent paused without asking anything"}
	}
	if err := checkSize(c.Next.Pending, "interactions", MaxPending); err != nil {
		return nil, err
	}
	c.open(w)
	return c, nil
}

// ask adds an interaction behind those that wait already.
func (c *Change) ask(i interaction.Interaction) error {
	if err := checkSize(i, "an interaction", MaxInteraction); err != nil {
		return err
	}
	switch {
	case i.ID == "":
		return &AgentError{Reason: "the agent asked without an id"}
	case c.asked(i):
		return &AgentError{Reason: "the agent asked twice under one id"}
	case i.Kind == interaction.Approval && c.Next.Effects[i.EffectID()].State != EffectHeld:
		return &AgentError{Reason: "the agent asked to approve a call that is not held"}
	}
	c.Next.Pending = append(c.Next.Pending, i)
	return nil
}

// asked reports whether i's id, or the call it wants approved, was asked about before: an answer
// to the one must never be taken for the other.
func (c *Change) asked(i interaction.Interaction) bool {
	for _, p := range c.Next.Pending {
		approvals := p.Kind == interaction.Approval && i.Kind == interaction.Approval
		if p.ID == i.ID || approvals && p.EffectID() == i.EffectID() {
			return true
		}
	}
	for _, s := range c.Next.Seen {
		if s.Interaction == i.ID {
			return true
		}
	}
	return false
}

// open pauses the task on its first pending interaction and lets it go.
func (c *Change) open(w Write) {
	next := &c.Next
	m := next.Pending[0].Message(w.ID, next.ID, next.ContextID)
	c.status(w.At, next.Pending[0].Kind.State(), &m)
	next.Lease = nil
	next.Shown = true
	if next.Run.Patience > 0 {
		next.Expires = stamp(w.At).Add(next.Run.Patience)
	}
	c.wake(w.At)
}

// Takeover is the change a run must make before anything else because an earlier one was lost
// between a write call's intent and its outcome: nobody knows whether it was made, so a person is
// asked. It returns nil when there is no such call.
func Takeover(r *Record, w Write) *Change {
	c, err := beginRun(r, w)
	if err != nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(r.Effects)) {
		e := r.Effects[id]
		if e.State != EffectSent || e.Fence >= r.Fence || e.Class.repeatable() {
			continue
		}
		c.askAgain(id, e)
	}
	if len(c.Next.Pending) == len(r.Pending) {
		return nil
	}
	c.open(w)
	return c
}

// Ending is how a run ends a task.
type Ending struct {
	State   a2a.TaskState // COMPLETED, FAILED or REJECTED
	Message *a2a.Message  // the last word, if there is one
	Bare    bool          // the message alone is the answer, unless the caller knows of the task
}

// Finish ends the task. On completion turn is what it adds to the conversation.
func Finish(r *Record, end Ending, s Step, turn *Turn, w Write) (*Change, error) {
	c, err := beginStep(r, s, w)
	if err != nil {
		return nil, err
	}
	if end.Message != nil {
		m := c.message(*end.Message, w)
		if err := checkParts(m.Parts, m, "a status message", MaxStatus); err != nil {
			return nil, err
		}
		end.Message = &m
	}
	c.status(w.At, end.State, end.Message)
	c.Next.Lease = nil
	c.Next.Pending = nil
	c.Next.Bare = end.Bare && !r.Shown
	if end.State == a2a.TaskStateCompleted {
		c.Turn = turn // others say nothing to those that follow
	}
	c.wake(w.At)
	return c, nil
}
