package memory

import (
	"context"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Create implements [task.Store].
func (s *Store) Create(_ context.Context, r *task.Record, first []task.Event) error {
	events, err := encodeEach(first)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if taken := s.tasks[r.Key]; taken != nil {
		return refused(taken.current())
	}
	if err := s.makeRoom(); err != nil {
		return err
	}
	e := &entry{key: r.Key, contextID: r.ContextID, events: events, rows: map[string][]byte{}}
	if err := s.put(e, r); err != nil {
		return err
	}
	s.tasks[r.Key] = e
	return nil
}

// Claim implements [task.Store].
func (s *Store) Claim(_ context.Context, k task.Key, c task.Claiming, _ a2a.TaskState) (*task.Record, error) {
	return s.change(k, func(met *task.Record) *task.Change { return task.Claim(met, c) })
}

// Commit implements [task.Store].
func (s *Store) Commit(_ context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	return s.change(k, func(met *task.Record) *task.Change {
		if !c.Guard.Admits(met) {
			return nil
		}
		return c
	})
}

// change makes the change that decide wants of the record it is shown; nil refuses.
func (s *Store) change(k task.Key, decide func(*task.Record) *task.Change) (*task.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.tasks[k]
	if e == nil {
		return nil, &task.Refused{}
	}
	met, err := e.current()
	if err != nil {
		return nil, err
	}
	c := decide(met)
	if c == nil {
		return nil, &task.Refused{Current: met}
	}
	return s.apply(e, c, met)
}

// apply writes all of a change or, if anything of it can't be, nothing.
func (s *Store) apply(e *entry, c *task.Change, met *task.Record) (*task.Record, error) {
	events, err := encodeEach(c.Events)
	if err != nil {
		return nil, err
	}
	var turn []byte
	if c.Turn != nil {
		if v := s.version(e.key.Scope, c.Turn.ContextID); v != c.Turn.Version {
			return nil, &task.ConversationMoved{Version: v}
		}
		if turn, err = encode(c.Turn.Messages); err != nil {
			return nil, err
		}
	}
	next := c.Apply(met)
	if err := s.put(e, next); err != nil {
		return nil, err
	}
	e.events = append(e.events, events...)
	if next.Status.State.Terminal() {
		e.said = nil
	}
	for _, row := range c.Rows {
		e.rows[row.Name] = append([]byte{}, row.Value...)
	}
	if c.Turn != nil {
		s.appendTurn(e.key.Scope, c.Turn.ContextID, turn)
	}
	return next, nil
}

// Renew implements [task.Store].
func (s *Store) Renew(_ context.Context, k task.Key, g task.Guard, until time.Time) error {
	return s.update(k, func(met *task.Record) *task.Record {
		if !g.Holds(met) {
			return nil
		}
		met.Lease.Until = until
		return met
	})
}

// Mark implements [task.Store].
func (s *Store) Mark(_ context.Context, k task.Key, revision, pushed uint64) error {
	err := s.update(k, func(met *task.Record) *task.Record { return met.Marked(revision, pushed) })
	if _, gone := err.(*task.Refused); gone {
		return task.ErrNotFound
	}
	return err
}

// Defer implements [task.Store].
func (s *Store) Defer(_ context.Context, d task.Due, wake time.Time) error {
	return s.update(d.Key, func(met *task.Record) *task.Record {
		if !met.Wake.Equal(d.Wake) {
			return nil
		}
		met.Wake = wake
		return met
	})
}

// update writes, under no revision, the record that decide makes of the one it is shown; nil
// refuses.
func (s *Store) update(k task.Key, decide func(*task.Record) *task.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.tasks[k]
	if e == nil {
		return &task.Refused{}
	}
	met, err := e.current()
	if err != nil {
		return err
	}
	next := decide(met)
	if next == nil {
		return &task.Refused{Current: met}
	}
	return s.put(e, next)
}

// refused is the refusal of a write by the record it met.
func refused(met *task.Record, err error) error {
	if err != nil {
		return err
	}
	return &task.Refused{Current: met}
}
