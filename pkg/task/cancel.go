package task

import (
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// Cancel ends a task for its caller: the run that has it loses it, and a late answer finds
// nothing open. A nil change without an error says that it is canceled already; a task that ended
// otherwise is not cancelable.
func Cancel(r *Record, w Write) (*Change, error) {
	if r.Status.State == a2a.TaskStateCanceled {
		return nil, nil
	}
	if r.Status.State.Terminal() {
		return nil, a2a.ErrTaskNotCancelable(r.ID, r.Status.State)
	}
	c := begin(r, r.Guard(), w)
	c.Next.Fence++
	c.Next.Lease = nil
	c.Next.Pending, c.Next.Expires = nil, time.Time{}
	c.status(w.At, a2a.TaskStateCanceled, nil)
	c.wake(w.At)
	return c, nil
}
