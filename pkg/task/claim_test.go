package task_test

import (
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// STORE-07, STORE-09, R-34, R-45: what a claim writes.
func TestClaim_Submitted(t *testing.T) {
	t.Parallel()
	s := accepted(t)
	c := claiming("lease", s.now.Add(time.Second))
	got := task.Claim(s.rec, c)
	if got.Guard != (task.Guard{Revision: 1}) {
		t.Errorf("got guard %+v, want the revision alone", got.Guard)
	}
	wantChanged(t, s.rec, got.Apply(s.rec), task.Write{ID: "lease", At: c.Now}, func(want *task.Record) {
		want.Fence++
		want.Lease = &c.Lease
		want.Writes = nil
		want.Attempts = 1
		want.Status = statusOf(a2a.TaskStateWorking, c.Now)
		want.Events, want.LastStatus = 3, 3
		want.Wake = c.Now.Add(time.Minute)
	})
	working := statusOf(a2a.TaskStateWorking, c.Now)
	if d := diff([]task.Event{{Seq: 3, At: c.Now, Status: &working}}, got.Events); d != "" {
		t.Errorf("the events (-want +got):\n%s", d)
	}
}

// A working task changes hands without an event; the ring of write ids begins anew.
func TestClaim_Working(t *testing.T) {
	t.Parallel()
	s := working(t).step(task.Step{}).yield()
	c := claiming("lease", s.now)
	got := task.Claim(s.rec, c)
	wantChanged(t, s.rec, got.Apply(s.rec), task.Write{At: c.Now}, func(want *task.Record) {
		want.Fence++
		want.Lease = &c.Lease
		want.Writes = nil
		want.Attempts = 1
		want.Wake = c.Now.Add(time.Minute)
	})
	if len(got.Events) != 0 {
		t.Errorf("got events %v, want none", got.Events)
	}
}

// Protocol counterexample 2: a lease keeps others away until two seconds after its end.
func TestClaim_Margin(t *testing.T) {
	t.Parallel()
	s := working(t)
	end := s.rec.Lease.Until
	tests := map[string]struct {
		now  time.Time
		want bool
	}{
		"at once":             {s.now, false},
		"at its end":          {end, false},
		"at the margin":       {end.Add(2 * time.Second), false},
		"just past":           {end.Add(2*time.Second + time.Nanosecond), true},
		"by a clock far back": {end.Add(-time.Hour), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := task.Claim(s.rec, claiming("other", test.now)) != nil; got != test.want {
				t.Errorf("got claimed %v, want %v", got, test.want)
			}
			if got := s.rec.Held(test.now); got == test.want {
				t.Errorf("got held %v, want %v", got, !test.want)
			}
		})
	}
}

// a claim never succeeds over a live lease, not even its own.
func TestClaim_OwnLiveLease(t *testing.T) {
	t.Parallel()
	s := working(t)
	again := task.Claiming{Lease: *s.rec.Lease, Now: s.now}
	if c := task.Claim(s.rec, again); c != nil {
		t.Errorf("got a change of fence %d, want none", c.Next.Fence)
	}
}

// Attempts count claims without progress; any progress or release on purpose starts them anew.
func TestClaim_Attempts(t *testing.T) {
	t.Parallel()
	lost := func(s *story) *story { return s.later(time.Minute).claim() }
	tests := map[string]struct {
		s    *story
		want int
	}{
		"first":           {working(t), 1},
		"after a lost":    {lost(working(t)), 2},
		"after two":       {lost(lost(working(t))), 3},
		"after a step":    {lost(lost(lost(working(t)).step(task.Step{}))), 2},
		"after an intent": {lost(working(t).plan(effect("eff_1", task.ClassRead, task.EffectApproved)).intent("eff_1")), 1},
		"after a release": {lost(lost(working(t).plan(effect("eff_1", task.ClassRead, task.EffectApproved))).intent("eff_1").step(task.Step{Release: []string{"eff_1"}})), 2},
		"after a yield":   {lost(lost(working(t)).yield()), 1},
		"after an answer": {lost(working(t)).pause(question("eff_q")).answer(text("m", "a")).claim(), 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.s.rec.Attempts; got != test.want {
				t.Errorf("got %d attempts, want %d", got, test.want)
			}
		})
	}
}

// Protocol rule 6.
func TestRecord_Poison(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		r    task.Record
		want bool
	}{
		"fresh":            {task.Record{}, false},
		"attempts at most": {task.Record{Attempts: 5}, false},
		"attempts over":    {task.Record{Attempts: 6}, true},
		"hops at most":     {task.Record{Hops: 50}, false},
		"hops over":        {task.Record{Hops: 51}, true},
		"both over":        {task.Record{Attempts: 6, Hops: 51}, true},
		"both at most":     {task.Record{Attempts: 5, Hops: 50}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.r.Poison(); (got != "") != test.want {
				t.Errorf("got %q, want poisoned %v", got, test.want)
			}
		})
	}
	attempts, hops := (&task.Record{Attempts: 6}).Poison(), (&task.Record{Hops: 51}).Poison()
	if attempts == hops {
		t.Errorf("both are told as %q, want two reasons", hops)
	}
}

// Protocol rule 4 and what it assumes: a call of a lost run has four seconds to be noticed as late.
func TestMargins(t *testing.T) {
	t.Parallel()
	if task.CallMargin != 2*time.Second || task.ClaimMargin+task.CallMargin != 4*time.Second {
		t.Errorf("got margins of %v and %v, want 2s each", task.CallMargin, task.ClaimMargin)
	}
}
