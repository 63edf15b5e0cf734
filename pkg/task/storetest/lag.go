package storetest

import (
	"context"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Lagging is a store whose List and Due show what there was when they last caught up, as indexes
// of a distributed store do.
type Lagging struct {
	task.Store
	mu    sync.Mutex
	lists map[listed]task.Page
	due   map[time.Time][]task.Due
}

type listed struct {
	scope task.Scope
	query task.Query
}

// Lag is s, lagging from now on: what is asked for a second time is answered as it was the first.
func Lag(s task.Store) *Lagging {
	l := &Lagging{Store: s}
	l.CatchUp()
	return l
}

// CatchUp lets the indexes show what there is now.
func (l *Lagging) CatchUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lists, l.due = map[listed]task.Page{}, map[time.Time][]task.Due{}
}

// List implements [task.Store].
func (l *Lagging) List(ctx context.Context, s task.Scope, q task.Query) (task.Page, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if page, ok := l.lists[listed{s, q}]; ok {
		return page, nil
	}
	page, err := l.Store.List(ctx, s, q)
	if err == nil {
		l.lists[listed{s, q}] = page
	}
	return page, err
}

// Due implements [task.Recovery].
func (l *Lagging) Due(ctx context.Context, now time.Time) iter.Seq2[task.Due, error] {
	return func(yield func(task.Due, error) bool) {
		all, err := l.dueAsOf(ctx, now)
		for _, d := range all {
			if !yield(d, nil) {
				return
			}
		}
		if err != nil {
			yield(task.Due{}, err)
		}
	}
}

func (l *Lagging) dueAsOf(ctx context.Context, now time.Time) ([]task.Due, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if all, ok := l.due[now]; ok {
		return all, nil
	}
	var all []task.Due
	for d, err := range l.Store.Due(ctx, now) {
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	l.due[now] = all
	return all, nil
}

// While lists and recovery show an earlier moment, reads do not, and nobody takes what only seems
// due.
func laggingIndexes(t testing.TB, h Harness) {
	s := Lag(h.Store)
	l := begin(t, s, "t1")
	begin(t, s, "t2")
	h.settle()
	later := start.Add(time.Hour)
	before := dueBefore(t, s, later, 10)
	diff(t, "first list", []string{"t2", "t1"}, list(t, s, alice, task.Query{}))
	l.claim().check()
	h.settle()
	diff(t, "list that lags", []string{"t2", "t1"}, list(t, s, alice, task.Query{}))
	diff(t, "due that lags", before, dueBefore(t, s, later, 10))
	taken := 0
	for _, d := range before {
		if err := s.Defer(t.Context(), d, later); err == nil {
			taken++
		} else {
			refused(t, "Defer of what was claimed", err, l.rec)
		}
	}
	if taken != 1 {
		t.Errorf("taken: got %d, want 1: the other was claimed since", taken)
	}
	l.check()
	s.CatchUp()
	diff(t, "list that caught up", []string{"t1", "t2"}, list(t, s, alice, task.Query{}))
}
