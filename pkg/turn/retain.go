package turn

import (
	"context"
	"errors"
	"time"

	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// MinRetention is the shortest [Options.Retention]: a task made under an idempotency key answers
// to it that long (protocol rule 12).
const MinRetention = 24 * time.Hour

// Expirer is a store that can forget finished tasks.
type Expirer interface {
	// Expire lets all of a finished task's rows go at a time. Again, with another time: the later
	// call holds. *[task.Refused]: the task is not finished, or owes pushes.
	Expire(ctx context.Context, k task.Key, at time.Time) error
}

// settle does a task's last duties: what it owes is handed on, and if it is finished its end is
// set, before its message is done.
func (w *Worker) settle(ctx context.Context, d queue.Delivery, r *task.Record) (done bool) {
	if !w.drain(ctx, d, r) {
		return false
	}
	if w.Retention == 0 || !r.Status.State.Terminal() || r.Owes() {
		return true
	}
	err := w.Expire.Expire(ctx, r.Key, w.Now().Add(w.Retention))
	if err != nil && !errors.Is(err, task.ErrNotFound) { // gone is as good
		w.log(ctx, d, "could not set when a task expires", err)
		return false
	}
	return true
}
