package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// ErrLost is the error of a write whose answer was lost.
var ErrLost = errors.New("storetest: the write's answer was lost")

// LoseAnswers is s, but that the n-th of its creates, claims and commits, counted from 1, takes
// effect and answers [ErrLost].
func LoseAnswers(s task.Store, n int) task.Store {
	l := &loser{Store: s}
	l.left.Store(int64(n))
	return l
}

type loser struct {
	task.Store
	left atomic.Int64
}

// lose is the error of a write in the place of err.
func (l *loser) lose(err error) error {
	if l.left.Add(-1) == 0 && err == nil {
		return ErrLost
	}
	return err
}

func (l *loser) Create(ctx context.Context, r *task.Record, first []task.Event) error {
	return l.lose(l.Store.Create(ctx, r, first))
}

func (l *loser) Claim(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error) {
	r, err := l.Store.Claim(ctx, k, c, hint)
	if err := l.lose(err); err != nil {
		return nil, err
	}
	return r, nil
}

func (l *loser) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	r, err := l.Store.Commit(ctx, k, c)
	if err := l.lose(err); err != nil {
		return nil, err
	}
	return r, nil
}

// Who lost the answer of a write tells from the refusal of its repetition that it took effect:
// from born, from the lease's id, from the write's (protocol rule 2).
func lostAnswers(t testing.TB, h Harness) {
	l := newLife(t, h.Store, alice, "t1", "ctx")
	repeat := func(what string, write func(task.Store) error) *task.Record {
		t.Helper()
		if err := write(LoseAnswers(h.Store, 1)); !errors.Is(err, ErrLost) {
			t.Fatalf("%s: got %v, want its answer lost", what, err)
		}
		var refused *task.Refused
		if err := write(h.Store); !errors.As(err, &refused) || refused.Current == nil {
			t.Fatalf("%s again: got %v, want it refused by a record", what, err)
		}
		return refused.Current
	}

	met := repeat("Create", func(s task.Store) error { return s.Create(t.Context(), l.rec, l.events) })
	if err := task.Created(l.rec, met); err != nil || met.Born != l.rec.Born {
		t.Errorf("the create is not recognised: %v", err)
	}

	c := l.claiming()
	l.events = append(l.events, task.Claim(l.rec, c).Events...)
	l.rec = repeat("Claim", func(s task.Store) error {
		_, err := s.Claim(t.Context(), l.rec.Key, c, l.rec.Status.State)
		return err
	})
	if l.rec.Lease == nil || l.rec.Lease.ID != c.Lease.ID {
		t.Errorf("the claim is not recognised: %+v", l.rec.Lease)
	}

	for _, what := range []string{"a step", "a finish"} {
		change, err := task.Advance(l.rec, task.Step{Events: []task.Event{said("one")}}, l.write())
		if what == "a finish" {
			change, err = l.complete(0, "done")
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		l.rec = repeat(what, func(s task.Store) error {
			_, err := s.Commit(t.Context(), l.rec.Key, change)
			return err
		})
		l.events = append(l.events, change.Events...)
		if got := task.Resolve(change, l.rec); got != task.Applied {
			t.Errorf("%s: got verdict %d, want Applied", what, got)
		}
	}
	l.check()
	if v := transcript(t, h.Store, alice, "ctx", task.Latest).Version; v != 1 {
		t.Errorf("conversation: got version %d, want 1", v)
	}
}
