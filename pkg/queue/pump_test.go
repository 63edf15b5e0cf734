package queue_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/local"
	"github.com/interlude-a2a/interlude/pkg/task"
)

func poke(id string) queue.Poke { return queue.Poke{Key: task.Key{ID: id}} }

// run starts the pump; stop ends it and waits for it.
func run(t *testing.T, q queue.Queue, workers int, handle func(context.Context, queue.Delivery) bool) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { queue.Run(ctx, q, workers, 10*time.Second, handle) })
	return func() {
		cancel()
		wg.Wait()
	}
}

// What is done is deleted; what is not, or panicked, comes back and holds up nothing else.
func TestRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := local.New(local.Options{MaxReceive: 3})
		for _, id := range []string{"panics", "waits", "works"} {
			q.Send(t.Context(), poke(id), 0)
		}
		got := map[string]int{}
		stop := run(t, q, 1, func(_ context.Context, d queue.Delivery) bool {
			got[d.Poke.Key.ID] = d.Attempt
			if d.Poke.Key.ID == "panics" {
				panic("the handler broke")
			}
			return d.Poke.Key.ID == "works" || d.Attempt == 2
		})
		time.Sleep(time.Minute)
		stop()
		if diff := cmp.Diff(map[string]int{"panics": 3, "waits": 2, "works": 1}, got); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
		if letters := q.DeadLetters(); len(letters) != 1 || letters[0].Poke != poke("panics") {
			t.Errorf("dead letters: got %+v, want the one that panics", letters)
		}
	})
}

func TestRunWorkersAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := local.New(local.Options{})
		for n := range 10 {
			q.Send(t.Context(), poke(fmt.Sprint(n)), 0)
		}
		start := time.Now()
		var busy atomic.Int32
		stop := run(t, q, 4, func(context.Context, queue.Delivery) bool {
			busy.Add(1)
			defer busy.Add(-1)
			time.Sleep(time.Second)
			return true
		})
		time.Sleep(500 * time.Millisecond)
		for _, want := range []int32{4, 4, 2, 0} {
			if got := busy.Load(); got != want {
				t.Errorf("at work after %v: got %d, want %d", time.Since(start), got, want)
			}
			time.Sleep(time.Second)
		}
		stop()
	})
}

// strict is a queue that does nothing for a context that ended.
type strict struct{ queue.Queue }

func (s strict) Delete(ctx context.Context, receipt string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.Queue.Delete(ctx, receipt)
}

// Handlers learn of the end, are waited for, and what they still get done is deleted.
func TestRunShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := local.New(local.Options{})
		q.Send(t.Context(), poke("t1.a"), 0)
		returned := false
		stop := run(t, strict{q}, 1, func(ctx context.Context, _ queue.Delivery) bool {
			<-ctx.Done()
			time.Sleep(time.Second)
			returned = true
			return true
		})
		synctest.Wait()
		stop()
		if !returned {
			t.Error("Run returned before its handler")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if ds, err := q.Receive(ctx, 1, time.Second); err == nil {
			t.Errorf("after shutdown: received %+v, want what was done deleted", ds)
		}
	})
}

// broken is a queue that cannot be reached at first.
type broken struct {
	queue.Queue
	failures int
}

func (b *broken) Receive(ctx context.Context, max int, visible time.Duration) ([]queue.Delivery, error) {
	if b.failures > 0 {
		b.failures--
		return nil, errors.New("no route")
	}
	return b.Queue.Receive(ctx, max, visible)
}

func TestRunReceiveFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := local.New(local.Options{})
		q.Send(t.Context(), poke("t1.a"), 0)
		start := time.Now()
		handled := make(chan time.Duration, 1)
		stop := run(t, &broken{q, 3}, 1, func(context.Context, queue.Delivery) bool {
			handled <- time.Since(start)
			return true
		})
		if got := <-handled; got != 3*time.Second {
			t.Errorf("handled after %v, want a second's pause after each of 3 failures", got)
		}
		stop()
	})
}
