package task_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// an interaction that nobody answers in time is closed as one that was not consented to, and
// the agent is told so.
func TestExpire(t *testing.T) {
	t.Parallel()
	s := answered(t).pause(approval("eff_held"))
	open := s.rec.Pending[0].ID
	due := s.now.Add(patience)
	if !s.rec.Expires.Equal(due) || !s.rec.Wake.Equal(due) {
		t.Fatalf("expires %v, wake %v; want %v", s.rec.Expires, s.rec.Wake, due)
	}
	if c, err := task.Expire(s.rec, task.Write{ID: "early", At: due.Add(-time.Millisecond)}); c != nil || err != nil {
		t.Errorf("before its time: got %v, %v", c, err)
	}
	before := copyOf(t, s.rec)
	w := task.Write{ID: "expire", At: due}
	s.took(task.Expire(s.rec, w))
	wantChanged(t, before, s.rec, w, func(want *task.Record) {
		want.Pending, want.Expires = nil, time.Time{}
		want.Events++
		want.LastStatus = want.Events
		want.Status = statusOf(a2a.TaskStateWorking, due)
		want.Wake = due.Add(task.WakeAfter)
		e := want.Effects["eff_held"]
		e.State = task.EffectDenied
		want.Effects["eff_held"] = e
	})
	var told interaction.Answer
	row := s.rows[len(s.rows)-1]
	if err := json.Unmarshal(row.Value, &told); err != nil || row.Name != task.AnswerRows+open {
		t.Fatalf("row %s: %v", row.Name, err)
	}
	if d := diff(interaction.Answer{InteractionID: open, Kind: interaction.Approval, Expired: true, At: due}, told); d != "" {
		t.Errorf("the agent is told (-want +got):\n%s", d)
	}
}

// never "approve on time-out", and an answer that comes too late is refused also where
// nobody has closed the interaction yet.
func TestAnswerTooLate(t *testing.T) {
	t.Parallel()
	s := answered(t).pause(approval("eff_held"))
	yes := reply("m-late", "eff_held", `"approved":true`)
	if _, err := task.Answer(s.rec, answering(t, yes), task.Write{ID: "w", At: s.rec.Expires.Add(-time.Millisecond)}); err != nil {
		t.Errorf("in time: %v", err)
	}
	_, err := task.Answer(s.rec, answering(t, yes), task.Write{ID: "w", At: s.rec.Expires})
	wantRefused(t, err, -32004)
	s.took(task.Expire(s.rec, task.Write{ID: "expire", At: s.rec.Expires}))
	_, err = task.Answer(s.rec, answering(t, yes), s.write())
	wantRefused(t, err, -32004)
}

// an answer that was taken is taken, however late it is repeated.
func TestAnswerRepeatedTooLate(t *testing.T) {
	t.Parallel()
	s := answered(t).pause(approval("eff_held"))
	yes := reply("m-yes", "eff_held", `"approved":true`)
	s.answer(yes)
	if !s.rec.Expires.IsZero() {
		t.Errorf("expires %v though nothing is open", s.rec.Expires)
	}
	if c, err := task.Answer(s.rec, answering(t, yes), task.Write{ID: "w", At: s.now.Add(10 * patience)}); c != nil || err != nil {
		t.Errorf("got %v, %v; want a repeat", c, err)
	}
}

// expiry is off by default.
func TestNoExpiry(t *testing.T) {
	t.Parallel()
	s := working(t).pause(question("eff_1"))
	if !s.rec.Expires.IsZero() || !s.rec.Wake.IsZero() {
		t.Errorf("expires %v, wake %v", s.rec.Expires, s.rec.Wake)
	}
	if c, err := task.Expire(s.rec, task.Write{ID: "w", At: s.now.Add(1000 * time.Hour)}); c != nil || err != nil {
		t.Errorf("got %v, %v", c, err)
	}
}

// R-42, LEASE-03: a task that waits and owes nothing is due when its interaction expires; one that
// owes pushes as soon as ever, and again then.
func TestExpireWakes(t *testing.T) {
	t.Parallel()
	s := answered(t).startPushes().pause(approval("eff_held"))
	if want := s.now.Add(task.WakeAfter); !s.rec.Wake.Equal(want) {
		t.Errorf("owing: wake %v, want %v", s.rec.Wake, want)
	}
	if marked := s.rec.Marked(s.rec.Revision, s.rec.LastStatus); !marked.Wake.Equal(s.rec.Expires) {
		t.Errorf("owing nothing: wake %v, want %v", marked.Wake, s.rec.Expires)
	}
	if s.cancel(); !s.rec.Expires.IsZero() {
		t.Errorf("canceled, it expires %v", s.rec.Expires)
	}
}
