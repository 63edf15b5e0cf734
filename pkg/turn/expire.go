package turn

import (
	"context"
	"errors"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// expire closes the open interaction of a paused task if its time is up. Where another
// write came first, that one is looked at. It reports whether the task is to be looked at again.
func (w *Worker) expire(ctx context.Context, met *task.Record) (again bool, err error) {
	c, err := task.Expire(met, task.Write{ID: task.NewID(), At: w.Now()})
	if c == nil || err != nil {
		return false, err
	}
	for try := 0; ; try++ {
		_, err = w.Store.Commit(ctx, met.Key, c)
		var refused *task.Refused
		switch {
		case err == nil || errors.As(err, &refused):
			return true, nil
		case !task.Backoff(ctx, try):
			return false, err
		}
	}
}
