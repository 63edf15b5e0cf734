package turn

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// hooks is a sink of pushes.
type hooks struct {
	pushed []a2a.TaskState
	fail   int // the number of the push that fails; 0: none
	slow   time.Duration
}

func (h *hooks) Push(_ context.Context, _ *task.Record, e task.Event) error {
	time.Sleep(h.slow)
	if len(h.pushed)+1 == h.fail {
		return errBroken
	}
	h.pushed = append(h.pushed, e.Status.State)
	return nil
}

// watched is a task with a webhook since its creation, not worked on yet.
func watched(b *bench) queue.Delivery {
	d := b.accept("x")
	r, _ := b.read(d)
	if _, err := b.store.Commit(b.Context(), d.Poke.Key, task.StartPushes(r, task.Write{ID: "w", At: time.Now()})); err != nil {
		b.Fatal(err)
	}
	return d
}

// Protocol rule 8, counterexamples 8, 10 and 11: all owed statuses, oldest first, then the mark.
func TestDrain(t *testing.T) {
	t.Parallel()
	h := &hooks{}
	b := newBench(t, outcome(agent.Completed{}, nil), func(o *Options) { o.Pushes = h })
	d := watched(b)
	b.handle(d, true)
	if len(h.pushed) != 2 || h.pushed[0] != a2a.TaskStateWorking || h.pushed[1] != a2a.TaskStateCompleted {
		t.Errorf("pushed %v, want WORKING, COMPLETED", h.pushed)
	}
	r, _ := b.read(d)
	if r.Owes() || !r.Wake.IsZero() {
		t.Errorf("owes %v, wake %v after the drain", r.Owes(), r.Wake)
	}
	b.handle(d, true) // a repeated poke pushes nothing more
	if len(h.pushed) != 2 {
		t.Errorf("a repeat pushed %v", h.pushed)
	}
}

// Rule 8: the first failure ends the drain; what came before is marked, the rest stays owed.
func TestDrainStopsAtAFailure(t *testing.T) {
	t.Parallel()
	h := &hooks{fail: 2}
	b := newBench(t, outcome(agent.Completed{}, nil), func(o *Options) { o.Pushes = h })
	d := watched(b)
	b.handle(d, false)
	r, _ := b.read(d)
	if !r.Owes() || r.Wake.IsZero() || len(h.pushed) != 1 {
		t.Errorf("owes %v, wake %v, pushed %v; want one pushed, one owed", r.Owes(), r.Wake, h.pushed)
	}
	h.fail = 0
	b.handle(d, true) // counterexample 8: poked for a finished task, the worker drains
	if len(h.pushed) != 2 || h.pushed[1] != a2a.TaskStateCompleted {
		t.Errorf("pushed %v", h.pushed)
	}
}

// Counterexample 12: a drain older than two minutes is abandoned, unmarked.
func TestDrainTooOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hooks{slow: 61 * time.Second}
		b := newBench(t, outcome(agent.Completed{}, nil), func(o *Options) { o.Pushes = h })
		d := watched(b)
		b.handle(d, false)
		if r, _ := b.read(d); !r.Owes() || *r.Pushed != 2 {
			t.Errorf("pushed %d, want the mark of the start, 2", *r.Pushed)
		}
	})
}
