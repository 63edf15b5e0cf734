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

// strictPokes are pokes that do nothing for a context that ended.
type strictPokes struct{ *pokes }

func (q strictPokes) Send(ctx context.Context, p queue.Poke, delay time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return q.pokes.Send(ctx, p, delay)
}

// What a slice ended with is handed on, also at a shutdown: its message would come back much later.
func TestShutdownHandsOn(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	a := fake{start: func(context.Context, agent.Run, agent.Input) (agent.Outcome, error) {
		stop()
		return agent.More{}, nil
	}}
	b := newBench(t, a, func(o *Options) { o.Queue = strictPokes{o.Queue.(*pokes)} })
	if !b.worker.Handle(ctx, b.accept("x")) {
		t.Error("a slice that yielded is not done")
	}
	if len(b.queue.sent) != 1 {
		t.Errorf("pokes %v, want the next slice's", b.queue.sent)
	}
}

// A poke that overtook its create waits for it no longer than its worker lives.
func TestShutdownEndsTheWaitForACreate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, outcome(agent.Completed{}, nil))
		ctx, stop := context.WithCancel(t.Context())
		stop()
		began := time.Now()
		b.worker.Handle(ctx, queue.Delivery{Poke: queue.Poke{Key: task.Key{ID: "t1.none"}}, Attempt: 1})
		if took := time.Since(began); took != 0 {
			t.Errorf("waited for %v", took)
		}
	})
}

// SRV-03: a hook that panics is an attempt that failed, and the task fails in the end.
func TestInputHookPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, outcome(agent.Completed{}, nil), func(o *Options) {
			o.Input = func(a2a.Message, []a2a.Message) (any, error) { panic("broken hook") }
		})
		d := b.accept("x")
		for range task.MaxAttempts {
			b.handle(d, false)
			time.Sleep(DefaultLease + 2*task.ClaimMargin)
		}
		b.handle(d, true)
		b.want(d, a2a.TaskStateFailed)
	})
}

// A store that is away hides a message for seconds, not for as long as the queue would.
func TestClaimOfAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, outcome(agent.Completed{}, nil))
		d := b.accept("x")
		b.worker.Store = away{b.store}
		b.handle(d, false)
		if got := b.queue.last(); got != retryClaim {
			t.Errorf("comes again after %v, want %v", got, retryClaim)
		}
	})
}

// away is a store that can't be reached.
type away struct{ Store }

func (away) Claim(context.Context, task.Key, task.Claiming, a2a.TaskState) (*task.Record, error) {
	return nil, errBroken
}
