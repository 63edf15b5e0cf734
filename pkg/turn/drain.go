package turn

import (
	"context"
	"time"

	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Pushes takes one status of a task for delivery to its webhooks.
type Pushes interface {
	Push(ctx context.Context, r *task.Record, status task.Event) error
}

// drainFor is how long a drain may take from its read to its mark: within the push queue's
// deduplication window, so that a stalled one repeats nothing (protocol rule 8).
const drainFor = 2 * time.Minute

// drain hands on what the task owes to its webhooks, oldest first, up to the first failure. It
// reports whether nothing is owed any more.
func (w *Worker) drain(ctx context.Context, d queue.Delivery, r *task.Record) (done bool) {
	if !r.Owes() || w.Pushes == nil {
		return true
	}
	began := w.Now()
	rec, events, err := w.Store.Read(ctx, r.Key, *r.Pushed)
	if err != nil {
		w.log(ctx, d, "could not read what is to be pushed", err)
		return false
	}
	pushed := *r.Pushed
	for _, e := range events {
		if e.Status == nil {
			continue
		}
		if err = w.Pushes.Push(ctx, rec, e); err != nil {
			w.log(ctx, d, "could not hand on a push", err)
			break
		}
		pushed = e.Seq
	}
	if pushed == *r.Pushed || w.Now().Sub(began) > drainFor {
		return false
	}
	if err := w.Store.Mark(ctx, r.Key, rec.Revision, pushed); err != nil {
		w.log(ctx, d, "could not mark what was pushed", err)
		return false
	}
	return err == nil
}
