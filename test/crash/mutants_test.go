package crash

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/turn"
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

// noDeadline is a run whose calls go on when its lease has ended.
type noDeadline struct{ agent.Run }

func (r noDeadline) Intent(ctx context.Context, id string) (context.Context, context.CancelFunc, error) {
	callCtx, done, err := r.Run.Intent(ctx, id)
	if e, _ := r.Run.Effect(id); errors.Is(err, turn.ErrLost) && e.State == task.EffectSent {
		return context.WithoutCancel(ctx), func() {}, nil // the intent stands, the lease does not
	}
	if err != nil {
		return nil, nil, err
	}
	return context.WithoutCancel(callCtx), done, nil
}

// without is an agent whose runs are wrapped.
type without struct {
	agent.Agent
	wrap func(agent.Run) agent.Run
}

func (a without) Start(ctx context.Context, r agent.Run, in agent.Input) (agent.Outcome, error) {
	return a.Agent.Start(ctx, a.wrap(r), in)
}

func (a without) Resume(ctx context.Context, r agent.Run, in agent.Input, answers map[string]interaction.Answer) (agent.Outcome, error) {
	return a.Agent.Resume(ctx, a.wrap(r), in, answers)
}

func TestTheSuiteBites(t *testing.T) {
	t.Parallel()
	script, loop := scenarios[0], loops()[0]
	twice := loop.as("twice")
	mutants := []struct {
		name   string
		in     scenario
		cut    kind   // what it is to be noticed under
		shows  string // part of the fault it is to be noticed by
		mutate func(*world)
	}{
		{"without the fence", script, stall, "fence fell", func(w *world) { w.observer.Store = noFence{w.observer.Store} }},
		{"without the revision check", script, lose, "stands twice", func(w *world) { w.observer.Store = noRevision{w.observer.Store} }},
		{"without seen answers", script, crash, "was refused", func(w *world) { w.observer.Store = noSeen{w.observer.Store} }},
		{"without recovery", script, lose, "stuck", func(w *world) { w.noRecover = true }},
		{"the loop without the fence", loop, stall, "fence fell", func(w *world) { w.observer.Store = noFence{w.observer.Store} }},
		{"answers beside one another without the revision check", twice, lose, "and its rival were taken [true true]", func(w *world) {
			w.observer.Store = noRevision{w.observer.Store}
		}},
		{"answers that come twice without seen answers", twice, crash, "then [false false]", func(w *world) { w.observer.Store = noSeen{w.observer.Store} }},
		{"the loop without the deadline rule", loop, stall, "a call started while its effect was", func(w *world) {
			w.wrap = func(a agent.Agent) agent.Agent {
				return without{a, func(r agent.Run) agent.Run { return noDeadline{r} }}
			}
		}},
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			w, _ := play(t, backends[0], m.in, nil, nil)
			for _, cuts := range singles(w.calls.count()) {
				if cuts[0].kind != m.cut {
					continue
				}
				if _, faults := play(t, backends[0], m.in, cuts, m.mutate); strings.Contains(strings.Join(faults, "; "), m.shows) {
					t.Logf("%v: %v", cuts, faults)
					return
				}
			}
			t.Error("no cut shows it")
		})
	}
}
