package crash

import (
	"context"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// contended is a store in which another task of the context completes just before the first write
// that completes ours: that write's version of the conversation is stale (R-37, protocol rule 11).
type contended struct {
	task.Store
	once sync.Once
	err  error
}

func (s *contended) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	if c.Turn != nil {
		if s.once.Do(func() { s.err = s.complete(ctx, c.Turn) }); s.err != nil {
			return nil, s.err
		}
	}
	return s.Store.Commit(ctx, k, c)
}

// complete makes another task and completes it with a turn of its own.
func (s *contended) complete(ctx context.Context, ours *task.Turn) error {
	m := a2a.Message{MessageID: "m-rival", Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text("Me first.")}}}
	r, events := task.Accept(task.Acceptance{
		Key: task.Key{Scope: task.Scope{Owner: owner.Subject}, ID: task.NewTaskID()}, ContextID: ours.ContextID,
		Message: m, Principal: owner, Born: task.NewID(), At: time.Now(),
	})
	if err := s.Store.Create(ctx, r, events); err != nil {
		return err
	}
	lease := task.Lease{ID: task.NewID(), Until: time.Now().Add(time.Minute)}
	r, err := s.Store.Claim(ctx, r.Key, task.Claiming{Lease: lease, Now: time.Now()}, r.Status.State)
	if err != nil {
		return err
	}
	turn := &task.Turn{ContextID: ours.ContextID, Version: ours.Version, Messages: []a2a.Message{m}}
	c, err := task.Finish(r, task.Ending{State: a2a.TaskStateCompleted}, task.Step{}, turn, task.Write{ID: task.NewID(), At: time.Now()})
	if err != nil {
		return err
	}
	_, err = s.Store.Commit(ctx, r.Key, c)
	return err
}
