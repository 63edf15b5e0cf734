// Package agent is the port of what works on a task: it starts a run with a message, and resumes
// it with the answers to what it asked.
//
// The worker (pkg/turn) calls the agent for one slice at a time and hands it a [Run]: the journal
// in which the agent keeps what it must not lose, and the means to emit events. An agent keeps
// no state between slices but what it journaled; any replica may call it next. It is called again
// after a crash, with the same input and all answers so far, and goes on from its last row.
//
// An agent returns an [Outcome]. An error means that it has not finished: nothing is committed,
// the slice counts as a failed attempt and is tried again, a few times.
package agent

import (
	"context"
	"iter"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Agent works on tasks (SRV-01). Its methods are called concurrently, for different tasks.
type Agent interface {
	// Start begins a run that has journaled nothing and was answered nothing.
	Start(ctx context.Context, r Run, in Input) (Outcome, error)

	// Resume goes on with one. answers are all of the run's, by interaction id; it skips those
	// that it has journaled.
	Resume(ctx context.Context, r Run, in Input, answers map[string]interaction.Answer) (Outcome, error)
}

// Input is what a run is given (SRV-03).
type Input struct {
	Message  a2a.Message   // that started the task
	Messages []a2a.Message // the context's conversation as it was at the start, then Message
	Value    any           // what the deployment's own input hook made of them, if it has one
}

// Run is an agent's hold on the task it works on. Its methods return an error once the run has
// lost the task: the agent then returns it at once and does nothing more. One write of a run is
// under way at a time; calls from several goroutines queue.
type Run interface {
	Task() Info

	// EffectID is the id of the index-th effect or question of a step. It is the same after a
	// crash (INT-04, R-40).
	EffectID(step, index int) string

	// Effect is a planned effect as it stands; false once it is settled.
	Effect(id string) (task.Effect, bool)

	// Journal yields the agent's rows whose names begin with prefix, by name.
	Journal(ctx context.Context, prefix string) iter.Seq2[task.Row, error]

	// Step commits rows, events and effects in one write.
	Step(ctx context.Context, s task.Step) error

	// Intent commits that an effect's call is about to go out; of one that only reads it
	// commits nothing. The context it returns ends shortly before the run's lease does, unless that
	// is renewed: the call is made under it, at once. Its own Err looks at the clock: it is asked just
	// before each attempt goes out, since a timer may be late.
	Intent(ctx context.Context, effectID string) (context.Context, context.CancelFunc, error)

	// Write begins text that the agent is writing and that is to become an artifact: say adds to it,
	// and returns at once. Who follows the task sees it as it is written, until done is called; what
	// it comes to is written by Step or with the outcome, and replaces it. A further Write begins
	// anew. Text is never durable: nothing depends on it.
	Write(artifactID string) (say func(text string), done func())

	// Yielding is closed when the slice should end: return [More] at the next checkpoint.
	Yielding() <-chan struct{}
}

// Info is what an agent may know of its task.
type Info struct {
	Key         task.Key
	ContextID   string
	Principal   access.Principal
	OutputModes []string // media types the caller accepts; empty: any
}

// Outcome is how a slice ends: [Completed], [Failed], [Rejected], [Message], [Paused] or [More].
// What a final step adds is committed in the same write.
type Outcome interface{ outcome() }

type (
	// Completed ends the task well, with a last message if the agent has one.
	Completed struct {
		Message *a2a.Message
		Step    task.Step
	}
	// Failed ends the task; the message says why, for the caller to read.
	Failed struct {
		Message a2a.Message
		Step    task.Step
	}
	// Rejected says that the agent does not take the task.
	Rejected struct {
		Message a2a.Message
		Step    task.Step
	}
	// Message answers without a task, if the caller knows of none yet.
	Message struct{ Message a2a.Message }
	// Paused waits for people: asks are added to what is pending; the oldest opens.
	Paused struct {
		Asks []interaction.Interaction
		Step task.Step
	}
	// More goes on in another slice.
	More struct{ Step task.Step }
)

func (Completed) outcome() {}
func (Failed) outcome()    {}
func (Rejected) outcome()  {}
func (Message) outcome()   {}
func (Paused) outcome()    {}
func (More) outcome()      {}

// Text is a message of one text part.
func Text(s string) a2a.Message {
	return a2a.Message{Role: a2a.RoleAgent, Parts: []a2a.Part{{Content: a2a.Text(s)}}}
}

// StatusText is an event that tells the caller how the work goes, as the message of a WORKING status.
func StatusText(s string) task.Event {
	return task.Event{Status: &a2a.TaskStatus{State: a2a.TaskStateWorking, Message: new(Text(s))}}
}

// Artifact is an event that carries a whole artifact, or replaces one of its id.
func Artifact(a a2a.Artifact) task.Event {
	return task.Event{Artifact: &task.Piece{Artifact: a, LastChunk: true}}
}

// Piece is an event that carries a finished piece of an artifact; last says that it is the last
//
func Piece(a a2a.Artifact, more, last bool) task.Event {
	return task.Event{Artifact: &task.Piece{Artifact: a, Append: more, LastChunk: last}}
}
