package storetest

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// mutant is a store that is broken in one way.
type mutant struct {
	task.Store
	create  func(ctx context.Context, r *task.Record, first []task.Event) error
	read    func(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error)
	claim   func(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error)
	renew   func(ctx context.Context, k task.Key, g task.Guard, until time.Time) error
	commit  func(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error)
	mark    func(ctx context.Context, k task.Key, revision, pushed uint64) error
	list    func(ctx context.Context, s task.Scope, q task.Query) (task.Page, error)
	deferTo func(ctx context.Context, d task.Due, wake time.Time) error
	journal func(ctx context.Context, k task.Key, prefix string) iter.Seq2[task.Row, error]
}

func (m mutant) Create(ctx context.Context, r *task.Record, first []task.Event) error {
	if m.create == nil {
		return m.Store.Create(ctx, r, first)
	}
	return m.create(ctx, r, first)
}

func (m mutant) Read(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error) {
	if m.read == nil {
		return m.Store.Read(ctx, k, after)
	}
	return m.read(ctx, k, after)
}

func (m mutant) Claim(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error) {
	if m.claim == nil {
		return m.Store.Claim(ctx, k, c, hint)
	}
	return m.claim(ctx, k, c, hint)
}

func (m mutant) Renew(ctx context.Context, k task.Key, g task.Guard, until time.Time) error {
	if m.renew == nil {
		return m.Store.Renew(ctx, k, g, until)
	}
	return m.renew(ctx, k, g, until)
}

func (m mutant) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	if m.commit == nil {
		return m.Store.Commit(ctx, k, c)
	}
	return m.commit(ctx, k, c)
}

func (m mutant) Mark(ctx context.Context, k task.Key, revision, pushed uint64) error {
	if m.mark == nil {
		return m.Store.Mark(ctx, k, revision, pushed)
	}
	return m.mark(ctx, k, revision, pushed)
}

func (m mutant) List(ctx context.Context, s task.Scope, q task.Query) (task.Page, error) {
	if m.list == nil {
		return m.Store.List(ctx, s, q)
	}
	return m.list(ctx, s, q)
}

func (m mutant) Defer(ctx context.Context, d task.Due, wake time.Time) error {
	if m.deferTo == nil {
		return m.Store.Defer(ctx, d, wake)
	}
	return m.deferTo(ctx, d, wake)
}

func (m mutant) Journal(ctx context.Context, k task.Key, prefix string) iter.Seq2[task.Row, error] {
	if m.journal == nil {
		return m.Store.Journal(ctx, k, prefix)
	}
	return m.journal(ctx, k, prefix)
}

// met is the record of a refusal; nil if err is none.
func met(err error) *task.Record {
	var r *task.Refused
	if errors.As(err, &r) {
		return r.Current
	}
	return nil
}

// forces commits what was refused all the same, under the guard that loosen makes of the record
// met.
func forces(s task.Store, loosen func(task.Guard, *task.Record) task.Guard) task.Store {
	return mutant{Store: s, commit: func(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
		r, err := s.Commit(ctx, k, c)
		if current := met(err); current != nil {
			forced := *c
			forced.Guard = loosen(c.Guard, current)
			return s.Commit(ctx, k, &forced)
		}
		return r, err
	}}
}

// swallows makes of every refusal a success.
func swallows(err error) error {
	if met(err) != nil {
		return nil
	}
	return err
}
