package turn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// DefaultRecoverLimit is how many tasks one recovery takes over, unless told otherwise (LEASE-03).
const DefaultRecoverLimit = 10

// RecoverStore is what recovery needs of a [task.Store].
type RecoverStore interface {
	task.Recovery
	Read(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error)
}

// Recover pokes tasks that are due and that nobody works on: whose lease lapsed, or whose message
// was lost before one was taken (LEASE-03, LEASE-07). It takes each over by moving its wake, so
// that two recoveries never take the same one, and returns without waiting for the work
// (LEASE-05). A task whose record cannot be read is put off like those taken over, so that it does
// not stand before the others, and is part of the error. Any other failure ends it, with the
// report so far.
func Recover(ctx context.Context, store RecoverStore, pokes queue.Sender, now time.Time, limit int) (task.Recovered, error) {
	var report task.Recovered
	if limit <= 0 {
		limit = DefaultRecoverLimit
	}
	var unread error
	for due, err := range store.Due(ctx, now) {
		if err != nil {
			return report, errors.Join(unread, err)
		}
		r, _, failed := store.Read(ctx, due.Key, task.Latest)
		switch {
		case errors.Is(failed, task.ErrNotFound):
			report.Skipped++
			continue
		case failed == nil && r.Live() && r.Held(now):
			continue
		}
		var refused *task.Refused
		switch err := store.Defer(ctx, due, now.Add(task.WakeAfter)); {
		case errors.As(err, &refused):
			report.Skipped++
			continue
		case err != nil:
			return report, errors.Join(unread, failed, err)
		case failed != nil:
			unread = errors.Join(unread, fmt.Errorf("turn: task %s: %w", due.Key.ID, failed))
			continue
		}
		if err := pokes.Send(ctx, queue.Poke{Key: due.Key, Hint: r.Status.State}, 0); err != nil {
			return report, errors.Join(unread, err)
		}
		if report.TookOver = append(report.TookOver, due.Key.ID); len(report.TookOver) == limit {
			break
		}
	}
	return report, unread
}
