package crash

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Without one of its guards the system must fail the suite: these tests hold that it would be
// noticed.

// noFence is a store whose runs' writes are not conditioned on fence and lease.
type noFence struct{ task.Store }

func (s noFence) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	if c.Guard.LeaseID == "" {
		return s.Store.Commit(ctx, k, c)
	}
	return blind(ctx, s.Store, k, c)
}

// noRevision is a store whose callers' writes are not conditioned on the revision.
type noRevision struct{ task.Store }

func (s noRevision) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	if c.Guard.LeaseID != "" {
		return s.Store.Commit(ctx, k, c)
	}
	return blind(ctx, s.Store, k, c)
}

// blind writes a change over whatever is there.
func blind(ctx context.Context, s task.Store, k task.Key, c *task.Change) (*task.Record, error) {
	next := *c
	for {
		r, err := s.Commit(ctx, k, &next)
		var refused *task.Refused
		if !errors.As(err, &refused) || refused.Current == nil {
			return r, err
		}
		next.Guard = refused.Current.Guard()
		next.Next.Revision = refused.Current.Revision + 1
	}
}

// noSeen is a store that forgets which answers were taken.
type noSeen struct{ task.Store }

func (s noSeen) Read(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error) {
	r, e, err := s.Store.Read(ctx, k, after)
	if r != nil {
		r.Seen = nil
	}
	return r, e, err
}

func (s noSeen) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	r, err := s.Store.Commit(ctx, k, c)
	var refused *task.Refused
	if errors.As(err, &refused) && refused.Current != nil {
		refused.Current.Seen = nil
	}
	return r, err
}

func TestTheSuiteBites(t *testing.T) {
	mutants := []struct {
		name   string
		shows  string // part of the fault it is to be noticed by
		mutate func(*world)
	}{
		{"without the fence", "fence fell", func(w *world) { w.observer.Store = noFence{w.observer.Store} }},
		{"without the revision check", "stands twice", func(w *world) { w.observer.Store = noRevision{w.observer.Store} }},
		{"without seen answers", "SendMessage was refused", func(w *world) { w.observer.Store = noSeen{w.observer.Store} }},
		{"without recovery", "stuck", func(w *world) { w.noRecover = true }},
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			w, _ := play(t, backends[0], scenarios[0], nil, nil)
			for _, cuts := range singles(w.calls.count()) {
				if _, faults := play(t, backends[0], scenarios[0], cuts, m.mutate); strings.Contains(strings.Join(faults, "; "), m.shows) {
					t.Logf("%v: %v", cuts, faults)
					return
				}
			}
			t.Error("no cut shows it")
		})
	}
}
