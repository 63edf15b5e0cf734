package turn

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

func (b *bench) recover(limit int) task.Recovered {
	b.Helper()
	report, err := Recover(b.Context(), b.store, b.queue, time.Now(), limit)
	if err != nil {
		b.Fatal(err)
	}
	return report
}

// LEASE-03, LEASE-05, LEASE-06, LEASE-07, R-58.
func TestRecover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, outcome(agent.Completed{}, nil))
		submitted := b.accept("a") // its poke was lost
		working := b.accept("b")   // its worker died
		live := b.accept("c")      // its worker lives
		finished := b.accept("d")
		claim := func(d queue.Delivery, lease time.Duration) {
			t.Helper()
			l := task.Lease{ID: d.Poke.Key.ID, Until: time.Now().Add(lease)}
			if _, err := b.store.Claim(t.Context(), d.Poke.Key, task.Claiming{Lease: l, Now: time.Now()}, ""); err != nil {
				t.Fatal(err)
			}
		}
		claim(working, 30*time.Second)
		claim(live, 300*time.Second)
		b.handle(finished, true)
		if r := b.recover(0); len(r.TookOver)+r.Skipped != 0 {
			t.Errorf("before anything is due: got %+v", r)
		}
		time.Sleep(61 * time.Second)
		got := b.recover(0)
		slices.Sort(got.TookOver)
		want := []string{submitted.Poke.Key.ID, working.Poke.Key.ID}
		slices.Sort(want)
		if !slices.Equal(got.TookOver, want) || got.Skipped != 0 {
			t.Errorf("got %+v, want %v taken over", got, want)
		}
		if len(b.queue.sent) != 2 {
			t.Errorf("got %d pokes, want 2", len(b.queue.sent))
		}
		if r := b.recover(0); len(r.TookOver) != 0 {
			t.Errorf("a second recovery took over %v again", r.TookOver)
		}
		for _, p := range b.queue.sent {
			b.handle(queue.Delivery{Poke: p, Attempt: 1}, true)
		}
		b.want(submitted, a2a.TaskStateCompleted)
		b.want(working, a2a.TaskStateCompleted)
	})
}

// LEASE-03, counterexample 17: the limit counts takeovers, default 10, and the tasks beyond it
// have their turn at the next recovery.
func TestRecoverLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, outcome(agent.Completed{}, nil))
		for range 23 {
			b.accept("x")
		}
		time.Sleep(61 * time.Second)
		seen := map[string]bool{}
		for _, want := range []int{10, 10, 3} {
			r := b.recover(0)
			if len(r.TookOver) != want {
				t.Errorf("took over %d, want %d", len(r.TookOver), want)
			}
			for _, id := range r.TookOver {
				seen[id] = true
			}
		}
		if len(seen) != 23 {
			t.Errorf("reached %d of 23 tasks", len(seen))
		}
	})
}

// stale is a store whose index still has what another recovery took, or is gone.
type stale struct {
	task.Store
	due []task.Due
}

func (s stale) Due(context.Context, time.Time) iter.Seq2[task.Due, error] {
	return func(yield func(task.Due, error) bool) {
		for _, d := range s.due {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// of two recoveries one takes a task; what moved on is skipped and counted.
func TestRecoverSkips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, outcome(agent.Completed{}, nil))
		d := b.accept("x")
		r, _ := b.read(d)
		gone := task.Due{Key: task.Key{Scope: r.Scope, ID: "t1.gone"}, Wake: r.Wake}
		index := stale{b.store, []task.Due{gone, {Key: r.Key, Wake: r.Wake}, {Key: r.Key, Wake: r.Wake}}}
		time.Sleep(61 * time.Second)
		got, err := Recover(t.Context(), index, b.queue, time.Now(), 0)
		if err != nil || len(got.TookOver) != 1 || got.Skipped != 2 {
			t.Errorf("got %+v, %v; want one taken over, two skipped", got, err)
		}
	})
}

// unreadable is a store that holds records it cannot read.
type unreadable struct {
	task.Store
	ids []string
}

func (u unreadable) Read(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error) {
	if slices.Contains(u.ids, k.ID) {
		return nil, nil, errBroken
	}
	return u.Store.Read(ctx, k, after)
}

// LEASE-03: records that cannot be read are told of, are poked by no one, and keep no other task
// waiting, however many stand before it.
func TestRecoverPassesTheUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, outcome(agent.Completed{}, nil))
		var bad []string
		for range DefaultRecoverLimit + 1 {
			bad = append(bad, b.accept("x").Poke.Key.ID)
			time.Sleep(time.Millisecond)
		}
		good := b.accept("y").Poke.Key.ID
		time.Sleep(61 * time.Second)
		got, err := Recover(t.Context(), unreadable{b.store, bad}, b.queue, time.Now(), 1)
		if !slices.Equal(got.TookOver, []string{good}) || len(b.queue.sent) != 1 {
			t.Errorf("got %+v and %d pokes, want %s taken over", got, len(b.queue.sent), good)
		}
		for _, id := range bad {
			if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), id) {
				t.Errorf("got %v, want %s in it", err, id)
			}
		}
		if got, err := Recover(t.Context(), b.store, b.queue, time.Now(), 0); len(got.TookOver) != 0 || err != nil {
			t.Errorf("at once again: got %+v, %v; want nothing due", got, err)
		}
	})
}

// waiting is an agent that asks a question for an hour, and completes whatever comes of it.
func waiting(told *interaction.Answer) fake {
	return fake{
		start: func(_ context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
			return agent.Paused{
				Asks: []interaction.Interaction{interaction.NewQuestion(r.EffectID(0, 0), "?")},
				Step: task.Step{Patience: time.Hour},
			}, nil
		},
		resume: func(_ context.Context, r agent.Run, _ agent.Input, answers map[string]interaction.Answer) (agent.Outcome, error) {
			*told = answers[r.EffectID(0, 0)]
			return agent.Completed{}, nil
		},
	}
}

// recovery finds what nobody answered in time, and its poke expires it and goes on.
func TestRecoverExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told interaction.Answer
		b := newBench(t, waiting(&told))
		d := b.accept("x")
		b.handle(d, true)
		time.Sleep(59 * time.Minute)
		if r := b.recover(0); len(r.TookOver) != 0 {
			t.Errorf("took over %v early", r.TookOver)
		}
		b.handle(d, true) // a message that comes again changes nothing
		b.want(d, a2a.TaskStateInputRequired)
		time.Sleep(time.Minute + time.Second)
		if r := b.recover(0); len(r.TookOver) != 1 {
			t.Fatalf("took over %v", r.TookOver)
		}
		b.handle(queue.Delivery{Poke: b.queue.sent[0], Attempt: 1}, true)
		b.want(d, a2a.TaskStateCompleted)
		if !told.Expired || told.ApprovedBy != "" {
			t.Errorf("the agent was told %+v", told)
		}
	})
}

// an expiry whose reply is lost is made once; one that another write overtakes is not made.
func TestExpireRaces(t *testing.T) {
	for _, tt := range []struct {
		name string
		race func(*bench, queue.Delivery)
		want a2a.TaskState
		told bool // that it expired
	}{
		{"reply lost", func(b *bench, _ queue.Delivery) {
			b.store.commit = func() error { b.store.commit = nil; return errBroken }
		}, a2a.TaskStateCompleted, true},
		{"canceled", func(b *bench, d queue.Delivery) {
			b.store.before = func() { b.store.before = nil; b.cancel(d) }
		}, a2a.TaskStateCanceled, false},
		{"never written", func(b *bench, _ queue.Delivery) {
			b.worker.Store = failing{b.store}
		}, a2a.TaskStateInputRequired, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told interaction.Answer
				b := newBench(t, waiting(&told))
				d := b.accept("x")
				b.handle(d, true)
				time.Sleep(time.Hour)
				tt.race(b, d)
				b.handle(d, tt.want != a2a.TaskStateInputRequired)
				if b.want(d, tt.want); told.Expired != tt.told {
					t.Errorf("the agent was told %+v", told)
				}
			})
		})
	}
}

// failing is a store that writes no commit.
type failing struct{ *faulty }

func (failing) Commit(context.Context, task.Key, *task.Change) (*task.Record, error) {
	return nil, errBroken
}
