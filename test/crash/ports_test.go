package crash

import (
	"context"
	"iter"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// store is a process's way to the store.
type store struct {
	p *process
	task.Store
}

// do1 makes a call that returns a value.
func do1[T any](p *process, op string, f func() (T, error)) (T, error) {
	var v T
	err := p.do(op, func() (err error) { v, err = f(); return err })
	if err != nil && (p.isDead() || err == errFault) {
		var zero T
		return zero, err
	}
	return v, err
}

func (s store) Create(ctx context.Context, r *task.Record, first []task.Event) error {
	return s.p.do("create", func() error { return s.Store.Create(ctx, r, first) })
}

func (s store) Read(ctx context.Context, k task.Key, after uint64) (r *task.Record, e []task.Event, err error) {
	err = s.p.do("read", func() error { r, e, err = s.Store.Read(ctx, k, after); return err })
	return r, e, err
}

func (s store) Claim(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error) {
	return do1(s.p, "claim", func() (*task.Record, error) { return s.Store.Claim(ctx, k, c, hint) })
}

func (s store) Renew(ctx context.Context, k task.Key, g task.Guard, until time.Time) error {
	return s.p.do("renew", func() error { return s.Store.Renew(ctx, k, g, until) })
}

func (s store) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	return do1(s.p, "commit", func() (*task.Record, error) { return s.Store.Commit(ctx, k, c) })
}

func (s store) Mark(ctx context.Context, k task.Key, revision, pushed uint64) error {
	return s.p.do("mark", func() error { return s.Store.Mark(ctx, k, revision, pushed) })
}

func (s store) Journal(ctx context.Context, k task.Key, prefix string) iter.Seq2[task.Row, error] {
	return func(yield func(task.Row, error) bool) {
		var rows []task.Row
		err := s.p.do("journal", func() error {
			for row, err := range s.Store.Journal(ctx, k, prefix) {
				if err != nil {
					return err
				}
				rows = append(rows, row)
			}
			return nil
		})
		if err != nil {
			yield(task.Row{}, err)
			return
		}
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (s store) Conversation(ctx context.Context, sc task.Scope, contextID string, version uint64) (task.Transcript, error) {
	return do1(s.p, "conversation", func() (task.Transcript, error) {
		return s.Store.Conversation(ctx, sc, contextID, version)
	})
}

func (s store) Due(ctx context.Context, now time.Time) iter.Seq2[task.Due, error] {
	return func(yield func(task.Due, error) bool) {
		if err := s.p.do("due", func() error { return nil }); err != nil {
			yield(task.Due{}, err)
			return
		}
		s.Store.Due(ctx, now)(yield)
	}
}

func (s store) Defer(ctx context.Context, d task.Due, wake time.Time) error {
	return s.p.do("defer", func() error { return s.Store.Defer(ctx, d, wake) })
}

// pokes is a process's way to the queue. Twice: every poke is sent two times.
type pokes struct {
	p     *process
	q     queue.Queue
	twice bool
}

func (q pokes) Send(ctx context.Context, poke queue.Poke, delay time.Duration) error {
	return q.p.do("send", func() error {
		if q.twice {
			if err := q.q.Send(ctx, poke, delay); err != nil {
				return err
			}
		}
		return q.q.Send(ctx, poke, delay)
	})
}

// Receive counts as a call when it has received something.
func (q pokes) Receive(ctx context.Context, max int, visible time.Duration) ([]queue.Delivery, error) {
	ds, err := q.q.Receive(ctx, max, visible)
	if err != nil {
		return nil, err
	}
	return do1(q.p, "receive", func() ([]queue.Delivery, error) { return ds, nil })
}

func (q pokes) Extend(ctx context.Context, receipt string, visible time.Duration) error {
	return q.p.do("extend", func() error { return q.q.Extend(ctx, receipt, visible) })
}

func (q pokes) Delete(ctx context.Context, receipt string) error {
	return q.p.do("delete", func() error { return q.q.Delete(ctx, receipt) })
}
