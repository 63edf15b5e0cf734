package turn

import (
	"context"
	"errors"
	"time"

	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// beat keeps the lease and the message of a run alive until stop is called. A run that has lost
// its lease is ended.
func (w *Worker) beat(ctx context.Context, d queue.Delivery, r *run) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		every := w.Lease / 3
		t := time.NewTimer(every)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
			}
			t.Reset(w.renew(ctx, d, r, every))
		}
	}()
	return func() { cancel(); <-stopped }
}

// renew moves the lease's end, then the message's visibility. It returns when to come back.
func (w *Worker) renew(ctx context.Context, d queue.Delivery, r *run, every time.Duration) time.Duration {
	until := leaseEnd(w.Now(), w.Lease)
	err := w.Store.Renew(ctx, r.key, r.guard, until)
	var refused *task.Refused
	switch {
	case errors.As(err, &refused):
		r.lose()
		return every
	case err != nil:
		if ctx.Err() == nil {
			w.log(ctx, d, "could not renew a lease", err)
		}
		return every / 10
	}
	r.renewed(until)
	w.extend(ctx, d, w.Visible())
	return every
}
