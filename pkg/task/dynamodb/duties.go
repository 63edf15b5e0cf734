package dynamodb

import (
	"context"
	"errors"
	"time"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Renew implements [task.Store]: one update of one attribute.
func (s *Store) Renew(ctx context.Context, k task.Key, g task.Guard, until time.Time) error {
	e := newExpression()
	e.where("fence", "=", num(g.Fence))
	e.where("lease", "=", str(g.LeaseID))
	e.assign(item{"until": ms(until)})
	return refusal("renew a lease", s.touch(ctx, k, e))
}

// Mark implements [task.Store]: one update if the task is as it was read, else one more for each
// write that came in between.
func (s *Store) Mark(ctx context.Context, k task.Key, revision, pushed uint64) error {
	met, _, err := s.Read(ctx, k, task.Latest)
	for err == nil {
		next := met.Marked(revision, pushed)
		if next.Wake.Equal(met.Wake) && same(next.Pushed, met.Pushed) {
			return nil
		}
		err = s.mark(ctx, met, next)
		var refused *task.Refused
		if !errors.As(err, &refused) {
			return err
		}
		if met, err = refused.Current, nil; met == nil {
			return task.ErrNotFound
		}
	}
	return err
}

func (s *Store) mark(ctx context.Context, met, next *task.Record) error {
	e := newExpression()
	e.where("rev", "=", num(met.Revision))
	changes := item{}
	if met.Pushed != nil {
		e.where("pushed", "=", num(*met.Pushed))
		setPushed(changes, next.Pushed)
	}
	if !next.Wake.Equal(met.Wake) {
		setWake(changes, next.ID, next.Wake)
	}
	e.assign(changes)
	return refusal("mark what was pushed", s.touch(ctx, met.Key, e))
}

func same(a, b *uint64) bool { return a == b || a != nil && b != nil && *a == *b }

// Defer implements [task.Recovery]: one update.
func (s *Store) Defer(ctx context.Context, d task.Due, wake time.Time) error {
	e := newExpression()
	e.where("wake", "=", ms(d.Wake))
	changes := item{}
	setWake(changes, d.Key.ID, wake)
	e.assign(changes)
	return refusal("defer a task", s.touch(ctx, d.Key, e))
}

// touch updates a header.
func (s *Store) touch(ctx context.Context, k task.Key, e *expression) error {
	return settled(ctx, func() error {
		_, err := s.db.UpdateItem(ctx, s.update(k, e))
		return err
	})
}
