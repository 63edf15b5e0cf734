package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Create implements [task.Store]. The store has no bound.
func (s *Store) Create(ctx context.Context, r *task.Record, first []task.Event) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		_, taken, err := s.find(ctx, tx.StmtContext(ctx, s.do.selectTask), r.Key)
		if err == nil {
			return &task.Refused{Current: taken}
		}
		if !errors.Is(err, task.ErrNotFound) {
			return err
		}
		columns, err := state(r)
		if err != nil {
			return err
		}
		args := append(append(append(s.key(r.Key), r.ContextID), columns...), duties(r)...)
		result, err := tx.StmtContext(ctx, s.do.insertTask).ExecContext(ctx, args...)
		if err != nil {
			return fmt.Errorf("sqlite: add a task: %w", err)
		}
		row, err := result.LastInsertId()
		if err != nil {
			return fmt.Errorf("sqlite: add a task: %w", err)
		}
		return s.addEvents(ctx, tx, row, first)
	})
}

// Claim implements [task.Store].
func (s *Store) Claim(ctx context.Context, k task.Key, c task.Claiming, _ a2a.TaskState) (*task.Record, error) {
	return s.change(ctx, k, func(met *task.Record) *task.Change { return task.Claim(met, c) })
}

// Commit implements [task.Store].
func (s *Store) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	return s.change(ctx, k, func(met *task.Record) *task.Change {
		if !c.Guard.Admits(met) {
			return nil
		}
		return c
	})
}

// change makes the change that decide wants of the record it is shown; nil refuses.
func (s *Store) change(ctx context.Context, k task.Key, decide func(*task.Record) *task.Change) (*task.Record, error) {
	var next *task.Record
	err := s.write(ctx, func(tx *sql.Tx) error {
		row, met, err := s.meet(ctx, tx, k)
		if err != nil {
			return err
		}
		c := decide(met)
		if c == nil {
			return &task.Refused{Current: met}
		}
		next = c.Apply(met)
		return s.apply(ctx, tx, row, next, c)
	})
	if err != nil {
		return nil, err
	}
	return next, nil
}

// meet is find for a write: a task that is not there refuses it.
func (s *Store) meet(ctx context.Context, tx *sql.Tx, k task.Key) (int64, *task.Record, error) {
	row, met, err := s.find(ctx, tx.StmtContext(ctx, s.do.selectTask), k)
	if errors.Is(err, task.ErrNotFound) {
		return 0, nil, &task.Refused{}
	}
	return row, met, err
}

// apply writes the record a change makes, and what it adds.
func (s *Store) apply(ctx context.Context, tx *sql.Tx, row int64, next *task.Record, c *task.Change) error {
	if c.Turn != nil {
		if err := s.addTurn(ctx, tx, next.Scope, c.Turn); err != nil {
			return err
		}
	}
	columns, err := state(next)
	if err != nil {
		return err
	}
	args := append(append(columns, duties(next)...), row)
	if _, err := tx.StmtContext(ctx, s.do.updateTask).ExecContext(ctx, args...); err != nil {
		return fmt.Errorf("sqlite: change a task: %w", err)
	}
	if err := s.addEvents(ctx, tx, row, c.Events); err != nil {
		return err
	}
	if next.Status.State.Terminal() {
		if err := s.forgetSaid(ctx, tx, row, everSaid, 0); err != nil {
			return err
		}
	}
	return s.addRows(ctx, tx, row, c.Rows)
}

func (s *Store) addEvents(ctx context.Context, tx *sql.Tx, row int64, events []task.Event) error {
	insert := tx.StmtContext(ctx, s.do.insertEvent)
	for _, e := range events {
		body, err := encode(e)
		if err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, row, int64(e.Seq), body); err != nil {
			return fmt.Errorf("sqlite: add an event: %w", err)
		}
	}
	return nil
}

func (s *Store) addRows(ctx context.Context, tx *sql.Tx, row int64, rows []task.Row) error {
	insert := tx.StmtContext(ctx, s.do.insertRow)
	for _, r := range rows {
		if _, err := insert.ExecContext(ctx, row, r.Name, append([]byte{}, r.Value...)); err != nil { // never NULL
			return fmt.Errorf("sqlite: add a journal row: %w", err)
		}
	}
	return nil
}

// addTurn adds a turn to its conversation, if nobody else did since the turn's version was read.
func (s *Store) addTurn(ctx context.Context, tx *sql.Tx, scope task.Scope, t *task.Turn) error {
	messages, err := encode(t.Messages)
	if err != nil {
		return err
	}
	conversation := []any{s.namespace, scope.Tenant, scope.Owner, t.ContextID}
	var version int64
	err = tx.StmtContext(ctx, s.do.selectVersion).QueryRowContext(ctx, conversation...).Scan(&version)
	if err != nil {
		return fmt.Errorf("sqlite: read a conversation's version: %w", err)
	}
	if uint64(version) != t.Version {
		return &task.ConversationMoved{Version: uint64(version)}
	}
	args := append(conversation, version+1, messages)
	if _, err := tx.StmtContext(ctx, s.do.insertTurn).ExecContext(ctx, args...); err != nil {
		return fmt.Errorf("sqlite: add a turn: %w", err)
	}
	return nil
}

// Renew implements [task.Store].
func (s *Store) Renew(ctx context.Context, k task.Key, g task.Guard, until time.Time) error {
	return s.update(ctx, k, func(met *task.Record) *task.Record {
		if !g.Holds(met) {
			return nil
		}
		met.Lease.Until = until
		return met
	})
}

// Mark implements [task.Store].
func (s *Store) Mark(ctx context.Context, k task.Key, revision, pushed uint64) error {
	err := s.update(ctx, k, func(met *task.Record) *task.Record { return met.Marked(revision, pushed) })
	if refused := (*task.Refused)(nil); errors.As(err, &refused) {
		return task.ErrNotFound
	}
	return err
}

// Defer implements [task.Recovery].
func (s *Store) Defer(ctx context.Context, d task.Due, wake time.Time) error {
	return s.update(ctx, d.Key, func(met *task.Record) *task.Record {
		if !met.Wake.Equal(d.Wake) {
			return nil
		}
		met.Wake = wake
		return met
	})
}

// update writes, under no revision, the lease's end, the mark and the wake that decide sets in the
// record it is shown; nil refuses.
func (s *Store) update(ctx context.Context, k task.Key, decide func(*task.Record) *task.Record) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		row, met, err := s.meet(ctx, tx, k)
		if err != nil {
			return err
		}
		next := decide(met)
		if next == nil {
			return &task.Refused{Current: met}
		}
		if _, err := tx.StmtContext(ctx, s.do.updateDuties).ExecContext(ctx, append(duties(next), row)...); err != nil {
			return fmt.Errorf("sqlite: update a task: %w", err)
		}
		return nil
	})
}
