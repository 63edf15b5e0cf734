package task

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/interaction"
)

// MaxAnswers is how many answers one task takes: its record remembers each, to know a repeat.
const MaxAnswers = 256

// Answering is a caller's message to a task that exists.
type Answering struct {
	Message   a2a.Message
	Reply     interaction.Reply
	Principal access.Principal
	// Open is the interaction that was open when this call first read the task; nil before. A
	// plain reply answers that one and no other, however often the write is repeated.
	Open    *interaction.Interaction
	Streams bool // the caller reads the text as it is written
	// Value reads a plain reply to a question; nil: [interaction.Default].
	Value func(a2a.Message, interaction.Interaction) (json.RawMessage, error)
}

// Answer resumes a paused task with the answer to its open interaction, in the order of checks of
// A nil change without an error is a repeat of an answer that was taken already: nothing
// is to be written (ANS-08, R-11).
func Answer(r *Record, a Answering, w Write) (*Change, error) {
	hash := a2a.ContentHash(a.Message)
	if seen, ok := r.Seen[a.Message.MessageID]; ok {
		if seen.Hash != hash {
			return nil, a2a.ErrInvalidParams("message.messageId", "was used for an answer of another content")
		}
		return nil, nil
	}
	open, err := r.answerable(a, w.At)
	if err != nil {
		return nil, err
	}
	answer, err := a.Reply.Resolve(a.Message, open, r.ID, a.Value)
	if err != nil {
		return nil, err
	}
	answer.ApprovedBy, answer.At = a.Principal.Subject, stamp(w.At)
	row, err := answerRow(answer)
	if err != nil {
		return nil, err
	}

	c := begin(r, r.Guard(), w)
	next := &c.Next
	c.decide(open, answer.Approved)
	next.Run.Streams = next.Run.Streams || a.Streams
	m := a.Message
	m.TaskID, m.ContextID = r.ID, r.ContextID
	c.add(w.At, Event{Message: &m})
	if next.Seen == nil {
		next.Seen = map[string]Seen{}
	}
	next.Seen[m.MessageID] = Seen{Hash: hash, Interaction: open.ID, Event: next.Events}
	c.resume(row, w)
	return c, nil
}

// Expire resumes a paused task whose open interaction nobody answered in time, as one that was
// not consented to. It returns nil if none is that old.
func Expire(r *Record, w Write) (*Change, error) {
	open, ok := r.Open()
	if !ok || !r.expired(w.At) {
		return nil, nil
	}
	row, err := answerRow(interaction.Answer{InteractionID: open.ID, Kind: open.Kind, Expired: true, At: stamp(w.At)})
	if err != nil {
		return nil, err
	}
	c := begin(r, r.Guard(), w)
	c.decide(open, false)
	c.resume(row, w)
	return c, nil
}

// expired reports whether the open interaction takes no answer any more.
func (r *Record) expired(now time.Time) bool { return !r.Expires.IsZero() && !now.Before(r.Expires) }

// answerable is the interaction that a may answer at now.
func (r *Record) answerable(a Answering, now time.Time) (interaction.Interaction, error) {
	open, ok := r.Open()
	if !ok {
		return open, a2a.ErrUnsupported("The task takes no message in its state", map[string]string{
			"taskId": r.ID, "state": string(r.Status.State),
		})
	}
	metadata := map[string]string{"taskId": r.ID, "interactionId": open.ID, "kind": string(open.Kind)}
	if a.Open != nil && a.Open.ID != open.ID {
		return open, a2a.ErrUnsupported("Another answer came first", metadata)
	}
	if open.Kind == interaction.Approval && a.Principal.Anonymous() && a.Reply.InteractionID != "" {
		return open, a2a.ErrUnsupported("An anonymous caller cannot answer an approval", metadata)
	}
	if r.expired(now) {
		return open, a2a.ErrUnsupported("Nobody answered in time", metadata)
	}
	if len(r.Seen) >= MaxAnswers {
		return open, a2a.ErrUnsupported("The task takes no more than "+strconv.Itoa(MaxAnswers)+" answers", metadata)
	}
	return open, nil
}

// Open is the interaction a paused task waits for.
func (r *Record) Open() (interaction.Interaction, bool) {
	if !r.Status.State.Interrupted() || len(r.Pending) == 0 {
		return interaction.Interaction{}, false
	}
	return r.Pending[0], true
}

// decide closes the open interaction; one about a call decides what becomes of it.
func (c *Change) decide(open interaction.Interaction, approved bool) {
	c.Next.Pending, c.Next.Expires = c.Next.Pending[1:], time.Time{}
	if open.Kind != interaction.Approval {
		return
	}
	e := c.Next.Effects[open.EffectID()]
	e.State = EffectDenied
	if approved {
		e.State = EffectApproved
	}
	c.Next.Effects[open.EffectID()] = e
}

// resume puts the task back to work with the row of an answer.
func (c *Change) resume(row Row, w Write) {
	c.Next.Attempts, c.Next.Hops = 0, 0
	c.Next.Run.Kind = RunResume
	c.status(w.At, a2a.TaskStateWorking, nil)
	c.Rows = []Row{row}
	c.wake(w.At)
}

func answerRow(a interaction.Answer) (Row, error) {
	b, err := a2a.Marshal(a)
	if err != nil { // a value that is not JSON, made by a deployment's own hook
		return Row{}, fmt.Errorf("task: keep an answer: %w", err)
	}
	return Row{Name: AnswerRows + a.InteractionID, Value: b}, nil
}
