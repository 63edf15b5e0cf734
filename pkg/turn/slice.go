package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// slice works on a claimed task until its agent has an outcome.
func (w *Worker) slice(ctx context.Context, d queue.Delivery, rec *task.Record) (done bool) {
	w.extend(ctx, d, w.Visible())
	runCtx, end := context.WithCancelCause(ctx)
	defer end(nil)
	r := &run{
		store: w.Store, now: w.Now, key: rec.Key, guard: rec.RunGuard(), record: rec, until: rec.Lease.Until,
		yielding: make(chan struct{}), writing: make(chan struct{}, 1), called: map[string]bool{}, lose: func() { end(ErrLost) },
	}
	yield := time.AfterFunc(w.sliceLeft(ctx), func() { close(r.yielding) })
	defer yield.Stop()
	stop := w.beat(runCtx, d, r)
	outcome, err := w.work(runCtx, r)
	stop() // before the last write: a renewal after it would hold a task that was let go
	if err == nil {
		err = w.end(runCtx, r, outcome)
	}
	if errors.Is(err, ErrLost) || errors.Is(context.Cause(runCtx), ErrLost) {
		return false // silently: the task is another's now
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOn)
	defer cancel()
	if err != nil {
		w.log(ctx, d, "a slice did not finish", err)
		w.extend(ctx, d, r.lapse())
		return false
	}
	next := r.current()
	if next.Live() && !w.poke(ctx, d, next) {
		return false
	}
	return w.settle(ctx, d, next)
}

// handOn is how long a slice has to hand on what it ended with, also at a shutdown.
const handOn = 5 * time.Second

// sliceLeft is when the agent is to yield, from now on.
func (w *Worker) sliceLeft(ctx context.Context) time.Duration {
	left := w.Slice
	if deadline, ok := ctx.Deadline(); ok {
		left = min(left, deadline.Sub(w.Now())-sliceReserve)
	}
	return max(left, 0)
}

// work brings a claimed task to an outcome: nil when the takeover's own write was the outcome.
func (w *Worker) work(ctx context.Context, r *run) (agent.Outcome, error) {
	if reason := r.current().Poison(); reason != "" {
		return agent.Failed{Message: agent.Text(reason)}, nil
	}
	if task.Takeover(r.current(), task.Write{}) != nil {
		return takeover{}, nil
	}
	in, answers, err := w.load(ctx, r)
	if err != nil {
		return nil, err
	}
	return w.call(ctx, r, in, answers)
}

// takeover is the outcome of a run that does no more than ask about calls a lost one left open.
type takeover struct{ agent.Outcome }

// load reads what the agent is given.
func (w *Worker) load(ctx context.Context, r *run) (in agent.Input, answers map[string]interaction.Answer, err error) {
	rec, events, err := w.Store.Read(ctx, r.key, 0)
	if err != nil {
		return in, nil, err
	}
	r.events = events
	version := uint64(task.Latest)
	if rec.Run.Conversation != nil {
		version = *rec.Run.Conversation
	}
	history, err := w.Store.Conversation(ctx, r.key.Scope, rec.ContextID, version)
	if err != nil {
		return in, nil, err
	}
	if rec.Run.Conversation == nil {
		r.version = &history.Version
	}
	in.Message = *events[0].Message
	in.Messages = append(history.Messages, in.Message)
	if rec.Run.Kind == task.RunInvoke {
		return in, nil, nil
	}
	answers = map[string]interaction.Answer{}
	for row, err := range w.Store.Journal(ctx, r.key, task.AnswerRows) {
		if err != nil {
			return in, nil, err
		}
		var a interaction.Answer
		if err := json.Unmarshal(row.Value, &a); err != nil {
			return in, nil, fmt.Errorf("turn: read answer %s: %w", row.Name, err)
		}
		answers[a.InteractionID] = a
	}
	return in, answers, nil
}

// call calls the agent: it starts, or goes on from its last checkpoint or the answers that never
// reached it (LEASE-04). A panic, of the input hook too, is its error.
func (w *Worker) call(ctx context.Context, r *run, in agent.Input, answers map[string]interaction.Answer) (out agent.Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("turn: the agent panicked: %v\n%s", p, debug.Stack())
		}
	}()
	if w.Input != nil {
		if in.Value, err = w.Input(in.Message, in.Messages[:len(in.Messages)-1]); err != nil {
			w.Log.ErrorContext(ctx, "turn: the input hook failed", "task", r.key.ID, "error", err)
			return agent.Failed{Message: agent.Text("The agent could not read the message.")}, nil
		}
	}
	started := r.current().Run
	if started.Kind == task.RunInvoke && !started.Journaled {
		out, err = w.Agent.Start(ctx, r, in)
	} else {
		out, err = w.Agent.Resume(ctx, r, in, answers)
	}
	var broken *task.AgentError
	switch {
	case errors.As(err, &broken):
		return failed(broken), nil
	case err == nil && out == nil:
		return failed(&task.AgentError{Reason: "the agent returned nothing"}), nil
	}
	return out, err
}

func failed(e *task.AgentError) agent.Failed {
	return agent.Failed{Message: agent.Text("The agent failed: " + e.Reason + ".")}
}

// end commits an outcome. One that the rules don't allow fails the task instead.
func (w *Worker) end(ctx context.Context, r *run, out agent.Outcome) error {
	err := r.commit(ctx, w.ending(r, out), nil)
	var broken *task.AgentError
	if errors.As(err, &broken) {
		return r.commit(ctx, w.ending(r, failed(broken)), nil)
	}
	return err
}

// ending is the rule of an outcome.
func (w *Worker) ending(r *run, out agent.Outcome) rule {
	finish := func(end task.Ending, s task.Step) rule {
		var turn *task.Turn
		if end.State == a2a.TaskStateCompleted {
			turn = r.turn(end.Message, s)
		}
		return func(rec *task.Record, w task.Write) (*task.Change, error) {
			return task.Finish(rec, end, s, turn, w)
		}
	}
	switch o := out.(type) {
	case takeover:
		return func(rec *task.Record, w task.Write) (*task.Change, error) {
			return task.Takeover(rec, w), nil
		}
	case agent.Completed:
		return finish(task.Ending{State: a2a.TaskStateCompleted, Message: o.Message}, o.Step)
	case agent.Message:
		return finish(task.Ending{State: a2a.TaskStateCompleted, Message: &o.Message, Bare: true}, task.Step{})
	case agent.Failed:
		return finish(task.Ending{State: a2a.TaskStateFailed, Message: &o.Message}, o.Step)
	case agent.Rejected:
		return finish(task.Ending{State: a2a.TaskStateRejected, Message: &o.Message}, o.Step)
	case agent.Paused:
		o.Step.Conversation = r.unpinned()
		return func(rec *task.Record, w task.Write) (*task.Change, error) {
			return task.Pause(rec, o.Asks, o.Step, w)
		}
	case agent.More:
		o.Step.Conversation = r.unpinned()
		return func(rec *task.Record, w task.Write) (*task.Change, error) {
			return task.Yield(rec, o.Step, w)
		}
	}
	return func(*task.Record, task.Write) (*task.Change, error) {
		return nil, &task.AgentError{Reason: "the agent returned an outcome of an unknown kind"}
	}
}
