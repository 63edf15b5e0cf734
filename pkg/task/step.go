package task

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
)

// Step is what one step of a run adds, all of it in one write.
type Step struct {
	Rows   []Row    // of the agent's journal, named as the agent names them
	Events []Event  // in order; their numbers and times are set by the rules
	Plan   []Effect // new effects: held, or approved by policy
	Settle []string // effects whose outcome the rows hold
	// Release are effects sent by this run that surely did nothing, or may be sent twice: they are
	// approved again.
	Release []string
	// Unknown are effects sent by this run of which nobody knows whether they did something:
	// whether to send them again is asked of a person, with the run's next pause.
	Unknown []string
	// Conversation pins the version of the conversation that the run reads.
	Conversation *uint64
	// Patience is how long the run's interactions stay open from now on; zero: as before.
	Patience time.Duration
}

// progresses reports whether a step brings its task on, and so lets it survive as many claims as at first.
// To take back what was sent does not.
func (s Step) progresses() bool {
	return len(s.Release) == 0 || len(s.Events)+len(s.Plan)+len(s.Settle)+len(s.Unknown) > 0
}

// maxRowName is the longest name of a row in bytes: stores keep it in keys.
const maxRowName = 512

// beginStep begins a change of r's run with a step.
func beginStep(r *Record, s Step, w Write) (*Change, error) {
	c, err := beginRun(r, w)
	if err != nil {
		return nil, err
	}
	return c, c.step(s, w)
}

// step adds what s holds.
func (c *Change) step(s Step, w Write) error {
	for _, e := range s.Plan {
		if err := c.plan(e); err != nil {
			return err
		}
	}
	for _, id := range s.Settle {
		if err := c.settle(id); err != nil {
			return err
		}
	}
	for _, id := range s.Release {
		if err := c.release(id); err != nil {
			return err
		}
	}
	for _, id := range s.Unknown {
		if err := c.unknown(id); err != nil {
			return err
		}
	}
	for _, row := range s.Rows {
		if n := len(row.Name); n == 0 || n > maxRowName || !utf8.ValidString(row.Name) {
			return &AgentError{Reason: "a journal row needs a name of 1 to 512 bytes of UTF-8"}
		}
		c.Rows = append(c.Rows, Row{Name: AgentRows + row.Name, Value: row.Value})
		c.Next.Run.Journaled = true
	}
	for _, e := range s.Events {
		if err := c.event(e, w); err != nil {
			return err
		}
	}
	if s.Patience > 0 {
		c.Next.Run.Patience = s.Patience
	}
	if s.Conversation != nil && c.Next.Run.Conversation == nil {
		c.Next.Run.Conversation = s.Conversation
	}
	return nil
}

// plan adds a new effect. A dot in its id would be taken for a round of another's.
func (c *Change) plan(e Effect) error {
	if e.ID == "" || strings.Contains(e.ID, ".") {
		return &AgentError{Reason: "a planned call needs an id without dots"}
	}
	if _, ok := c.Next.Effects[e.ID]; ok || e.State != EffectHeld && e.State != EffectApproved {
		return &AgentError{Reason: "a planned call must be new, and held or approved"}
	}
	if c.Next.Effects == nil {
		c.Next.Effects = map[string]Effect{}
	}
	c.Next.Effects[e.ID] = e
	return nil
}

// settle takes an effect out of the record: its outcome is journaled, or it is never to be sent.
func (c *Change) settle(id string) error {
	e, ok := c.Next.Effects[id]
	sentByOther := e.State == EffectSent && e.Fence != c.Next.Fence
	if !ok || sentByOther || e.State == EffectHeld || e.State == EffectUnknown {
		return &AgentError{Reason: "an outcome was reported for a call that is not this run's"}
	}
	delete(c.Next.Effects, id)
	return nil
}

// release approves an effect again that this run has sent. Of a write the agent must be sure that
// it did nothing.
func (c *Change) release(id string) error {
	e := c.Next.Effects[id]
	if e.State != EffectSent || e.Fence != c.Next.Fence {
		return &AgentError{Reason: "a call was to be made again that this run has not made"}
	}
	e.State, e.Fence = EffectApproved, 0
	c.Next.Effects[id] = e
	return nil
}

// unknown has a person asked whether an effect that this run has sent is to be sent again.
func (c *Change) unknown(id string) error {
	e := c.Next.Effects[id]
	if e.State != EffectSent || e.Fence != c.Next.Fence {
		return &AgentError{Reason: "the outcome of a call is unknown that this run has not made"}
	}
	c.askAgain(id, e)
	return nil
}

// askAgain puts the question whether to send an effect again behind what is pending.
func (c *Change) askAgain(id string, e Effect) {
	e.State = EffectUnknown
	e.Round = max(e.Round, 1) + 1
	c.Next.Effects[id] = e
	c.Next.Pending = append(c.Next.Pending, interaction.NewResend(id, e.Round, e.Server, e.Tool))
}

// event adds one event of the agent.
func (c *Change) event(e Event, w Write) error {
	var err error
	switch {
	case e.Message != nil && e.Status == nil && e.Artifact == nil:
		m := c.message(*e.Message, w)
		e.Message, err = &m, checkParts(m.Parts, m, "a message", MaxPiece)
	case e.Status != nil && e.Status.Message != nil && e.Message == nil && e.Artifact == nil:
		m := c.message(*e.Status.Message, w)
		e.Status = &a2a.TaskStatus{State: a2a.TaskStateWorking, Message: &m, Timestamp: stamp(w.At)}
		err = checkParts(m.Parts, m, "a status message", MaxStatus)
	case e.Artifact != nil && e.Artifact.Artifact.ArtifactID != "" && e.Message == nil && e.Status == nil:
		a := e.Artifact.Artifact
		err = checkParts(a.Parts, a, "an artifact", MaxPiece)
	default:
		err = &AgentError{Reason: "the agent emitted an event that is not one message, status text or artifact"}
	}
	if err != nil {
		return err
	}
	c.add(w.At, e)
	return nil
}

// message is an agent's message as it is kept: of this task, from the agent, with an id that is
// the same however often the write is repeated.
func (c *Change) message(m a2a.Message, w Write) a2a.Message {
	m.TaskID, m.ContextID, m.Role = c.Next.ID, c.Next.ContextID, a2a.RoleAgent
	if m.MessageID == "" {
		m.MessageID = fmt.Sprintf("%s.%d", w.ID, c.Next.Events+1)
	}
	return m
}
