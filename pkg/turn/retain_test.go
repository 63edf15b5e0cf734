package turn

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// expiry remembers when each task was said to go.
type expiry struct {
	at   map[string]time.Time
	fail error
}

func (e *expiry) Expire(_ context.Context, k task.Key, at time.Time) error {
	if e.fail == nil {
		e.at[k.ID] = at
	}
	return e.fail
}

func retaining(e *expiry) func(*Options) {
	return func(o *Options) { o.Retention, o.Expire = 48*time.Hour, e }
}

// a finished task's end is set before its message is done.
func TestRetention(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &expiry{at: map[string]time.Time{}, fail: errBroken}
		b := newBench(t, outcome(agent.Completed{}, nil), retaining(e))
		d := b.accept("x")
		b.handle(d, false) // finished, its end not set: the message comes again
		e.fail = nil
		b.handle(d, true)
		if got, want := e.at[d.Poke.Key.ID], time.Now().Add(48*time.Hour); !got.Equal(want) {
			t.Errorf("goes at %v, want %v", got, want)
		}
	})
}

// what waits for a person, or owes a push, is never given an end.
func TestRetentionLeavesTheUnfinished(t *testing.T) {
	t.Parallel()
	e := &expiry{at: map[string]time.Time{}}
	asking := agent.Paused{Asks: []interaction.Interaction{interaction.NewQuestion("eff_q", "which?")}}
	b := newBench(t, outcome(asking, nil), retaining(e))
	b.handle(b.accept("x"), true)
	owing := newBench(t, outcome(agent.Completed{}, nil), retaining(e), func(o *Options) { o.Pushes = &hooks{fail: 1} })
	owing.handle(watched(owing), false)
	if len(e.at) != 0 {
		t.Errorf("got an end: %v", e.at)
	}
}

// Protocol rule 12.
func TestRetentionIsChecked(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*Options){
		"too short":       func(o *Options) { o.Retention, o.Expire = MinRetention-1, &expiry{} },
		"without a store": func(o *Options) { o.Retention = MinRetention },
	} {
		o := Options{Store: &faulty{}, Queue: &pokes{}, Agent: fake{}}
		set(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// A task that owes pushes which nobody sends, or that is gone already, holds up no message.
func TestRetentionNeverLoops(t *testing.T) {
	t.Parallel()
	e := &expiry{at: map[string]time.Time{}}
	b := newBench(t, outcome(agent.Completed{}, nil), retaining(e))
	b.handle(watched(b), true) // it owes, and there is no sender
	if len(e.at) != 0 {
		t.Errorf("got an end: %v", e.at)
	}
	e.fail = task.ErrNotFound
	b.handle(b.accept("x"), true)
}
