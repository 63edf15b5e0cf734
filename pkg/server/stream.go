package server

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Event is one event of a stream (SRV-23). Its ID is what a follower that was cut off continues
// behind ([CallContext.LastEventID]); empty: the event is of text that is being written, and what
// that comes to follows under an id.
type Event struct {
	ID       string
	Response a2a.StreamResponse
}

// Events is a stream. An error ends it, after it began; a stream that ends without one ended as it
// should, or with its call's context.
type Events = iter.Seq2[Event, *a2a.Error]

// sendStream is sendMessage with a stream for an answer: the task, then all that happens to it,
// until it is finished or waits for somebody.
func (s *Server) sendStream(ctx context.Context, c CallContext, req a2a.SendMessageRequest) (Events, error) {
	c.streams = true
	end, err := s.open.open(ctx, c)
	if err != nil {
		return nil, err
	}
	now, err := s.send(ctx, c, req)
	if err != nil {
		end()
		return nil, err
	}
	return s.stream(ctx, streaming{end: end, now: now, view: viewOf(c), history: req.Configuration.HistoryLength}), nil
}

// subscribe streams a task that exists, through pauses for a while, until it is finished (SPEC-08,
// A follower that names the last event it saw gets those behind it.
func (s *Server) subscribe(ctx context.Context, c CallContext, req a2a.SubscribeToTaskRequest) (Events, error) {
	end, err := s.open.open(ctx, c)
	if err != nil {
		return nil, err
	}
	after, resumed := lastEvent(req.ID, c.LastEventID)
	now, err := s.read(ctx, c.key(req.ID))
	if err != nil {
		end()
		return nil, err
	}
	if resumed = resumed && after <= now.record.Events; !resumed {
		after = now.record.Events
	}
	if state := now.record.Status.State; state.Terminal() && !resumed {
		end()
		return nil, a2a.ErrUnsupported("The task has ended", map[string]string{"taskId": req.ID, "state": string(state)})
	}
	return s.stream(ctx, streaming{end: end, now: now, view: viewOf(c), linger: s.o.Linger, after: after, resumed: resumed}), nil
}

// eventID tells a task's events from another's, and from one another.
func eventID(taskID string, seq uint64) string {
	const enough = 6 // of a task's id
	return taskID[max(0, len(taskID)-enough):] + "-" + strconv.FormatUint(seq, 10)
}

// lastEvent is the number of an event of the task by its id.
func lastEvent(taskID, id string) (seq uint64, ok bool) {
	_, digits, _ := strings.Cut(id, "-")
	seq, err := strconv.ParseUint(digits, 10, 64)
	return seq, err == nil && seq > 0 && id == eventID(taskID, seq)
}

// streaming is what a stream begins with.
type streaming struct {
	end     func() // gives its place to another one
	now     standing
	view    view
	history *int32
	linger  time.Duration // how long it stays open through a pause; zero: a pause ends it
	resumed bool          // without the task: the follower has it, up to the event numbered after
	after   uint64
}

// stream is the events of a task from where it stands.
func (s *Server) stream(ctx context.Context, o streaming) Events {
	return func(yield func(Event, *a2a.Error) bool) {
		defer func() {
			if p := recover(); p != nil {
				yield(Event{}, s.Internal(ctx, "stream", fmt.Errorf("panic: %v\n%s", p, debug.Stack())))
			}
		}()
		defer o.end()
		st := &stream{streaming: o, yield: yield}
		o.now.events = nil // who follows for long keeps no whole task
		if !st.begin() {
			return
		}
		st.now.events = nil
		f := s.follow(o.now.record)
		defer f.stop()
		for {
			waiting, cancel := st.patience(ctx)
			n, err := f.next(waiting, true)
			cancel()
			if errors.Is(err, task.ErrNotFound) {
				yield(Event{}, a2a.ErrTaskNotFound(o.now.record.ID))
			}
			if err != nil || !st.tell(n) {
				return
			}
		}
	}
}

// stream tells one follower.
type stream struct {
	streaming
	yield  func(Event, *a2a.Error) bool
	paused time.Time     // since when the task waits for somebody; zero: it does not
	mark   task.TextMark // of the text that was told last
}

// begin tells of the task as it stands. It reports whether the stream goes on.
func (st *stream) begin() bool {
	r := st.now.record
	if st.resumed {
		missed := st.now.events[min(st.after, uint64(len(st.now.events))):]
		return st.events(missed) && st.goesOn(r.Status.State)
	}
	t := st.view.task(st.now, st.history)
	if !st.yield(Event{ID: eventID(r.ID, r.Events), Response: a2a.StreamResponse{Task: &t}}, nil) {
		return false
	}
	return st.goesOn(r.Status.State)
}

// tell tells what is new: text that is being written stands behind the events that came before it.
func (st *stream) tell(n news) bool {
	if !st.events(n.events) {
		return false
	}
	for _, t := range n.text {
		fresh := t.Fence != st.mark.Fence || t.Attempt != st.mark.Attempt
		st.mark = t.TextMark
		if !st.yield(Event{Response: a2a.StreamResponse{ArtifactUpdate: &a2a.TaskArtifactUpdateEvent{
			TaskID: st.now.record.ID, ContextID: st.now.record.ContextID, Append: !fresh,
			Artifact: a2a.Artifact{ArtifactID: t.Artifact, Parts: []a2a.Part{{Content: a2a.Text(t.Text)}}},
		}}}, nil) {
			return false
		}
	}
	return true
}

// events tells of events; messages are in the task's history and are no updates.
func (st *stream) events(all []task.Event) bool {
	r := st.now.record
	for _, e := range all {
		out := Event{ID: eventID(r.ID, e.Seq)}
		switch {
		case e.Status != nil:
			out.Response.StatusUpdate = &a2a.TaskStatusUpdateEvent{TaskID: r.ID, ContextID: r.ContextID, Status: st.view.status(*e.Status)}
		case e.Artifact != nil:
			out.Response.ArtifactUpdate = &a2a.TaskArtifactUpdateEvent{
				TaskID: r.ID, ContextID: r.ContextID, Artifact: e.Artifact.Artifact, Append: e.Artifact.Append, LastChunk: e.Artifact.LastChunk,
			}
		default:
			continue
		}
		if !st.yield(out, nil) || e.Status != nil && !st.goesOn(e.Status.State) {
			return false
		}
	}
	return true
}

// goesOn reports whether a stream goes on behind a status.
func (st *stream) goesOn(state a2a.TaskState) bool {
	switch {
	case state.Terminal():
		return false
	case !state.Interrupted():
		st.paused = time.Time{}
	case st.linger == 0:
		return false
	default:
		st.paused = time.Now()
	}
	return true
}

// patience is a context that ends when a paused task has been followed for long enough.
func (st *stream) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	if st.paused.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, st.paused.Add(st.linger))
}
