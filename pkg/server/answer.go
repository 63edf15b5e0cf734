package server

import (
	"context"
	"errors"
	"slices"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// answer gives a paused task its answer: one read, one conditional write, one poke.
func (s *Server) answer(ctx context.Context, c CallContext, req a2a.SendMessageRequest) (standing, error) {
	m := req.Message
	reply, err := interaction.ReadReply(m)
	if err != nil {
		return standing{}, err
	}
	now, err := s.read(ctx, c.key(m.TaskID))
	if err != nil {
		return standing{}, err
	}
	if m.ContextID != "" && m.ContextID != now.record.ContextID { // SPEC-03
		return standing{}, a2a.ErrInvalidParams("message.contextId", "is not the task's")
	}
	answering := task.Answering{Message: m, Reply: reply, Principal: c.Principal, Streams: c.streams, Value: s.o.Answer}
	if open, ok := now.record.Open(); ok {
		answering.Open = &open
	}
	now, written, err := s.change(ctx, now, func(r *task.Record, w task.Write) (*task.Change, error) {
		return task.Answer(r, answering, w)
	})
	if err != nil {
		return standing{}, err
	}
	if written || now.record.Live() && now.record.Lease == nil { // rule 7: a repeat may have lost its poke
		s.poke(ctx, now.record)
	}
	return now, nil
}

// change makes one transition as a caller. Where the write is refused it is decided anew from the
// record that the write met; a rule that yields nothing found the transition made.
func (s *Server) change(ctx context.Context, now standing, rule func(*task.Record, task.Write) (*task.Change, error)) (after standing, written bool, err error) {
	w := task.Write{ID: task.NewID(), At: s.o.Now()}
	r, stale := now.record, false
	for try := 0; ; {
		change, err := rule(r, w)
		if err != nil {
			return standing{}, false, err
		}
		if change == nil {
			break
		}
		next, err := s.o.Store.Commit(ctx, r.Key, change)
		var refused *task.Refused
		switch {
		case err == nil:
			if stale {
				now, err = s.read(ctx, r.Key)
				return now, true, err
			}
			return standing{next, slices.Concat(now.events, change.Events)}, true, nil
		case !errors.As(err, &refused):
			if !task.Backoff(ctx, try) {
				s.poke(ctx, r) // it may have taken effect, and then somebody has to look
				return standing{}, false, err
			}
			try++
		case refused.Current == nil:
			return standing{}, false, a2a.ErrTaskNotFound(r.ID)
		default:
			r, stale = refused.Current, true
		}
	}
	if stale {
		now, err = s.read(ctx, r.Key)
	}
	return now, stale, err
}
