package task_test

import (
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// design §4: cancel.
func TestCancel(t *testing.T) {
	t.Parallel()
	for name, situation := range situations {
		s := situation(t)
		if s.rec.Status.State.Terminal() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := s.write()
			c, err := task.Cancel(s.rec, w)
			if err != nil {
				t.Fatal(err)
			}
			if c.Guard != (task.Guard{Revision: s.rec.Revision}) {
				t.Errorf("got guard %+v, want the revision alone", c.Guard)
			}
			canceled := statusOf(a2a.TaskStateCanceled, w.At)
			wantChanged(t, s.rec, c.Apply(s.rec), w, func(want *task.Record) {
				want.Fence++
				want.Lease = nil
				want.Pending, want.Expires = nil, time.Time{}
				want.Status = canceled
				want.Events++
				want.LastStatus = want.Events
				want.Wake = time.Time{}
			})
			if d := diff([]task.Event{{Seq: s.rec.Events + 1, At: w.At, Status: &canceled}}, c.Events); d != "" {
				t.Errorf("the events (-want +got):\n%s", d)
			}
		})
	}
}

// A task that ended otherwise says how.
func TestCancel_Ended(t *testing.T) {
	t.Parallel()
	s := working(t).finish(a2a.TaskStateFailed)
	_, err := task.Cancel(s.rec, s.write())
	e := wantRefused(t, err, a2a.CodeTaskNotCancelable)
	if e.Metadata["taskId"] != "t1.story" || e.Metadata["state"] != "TASK_STATE_FAILED" {
		t.Errorf("got metadata %v", e.Metadata)
	}
}
