package task_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// STORE-09, R-33, design §4: what a write is conditioned on.
func TestGuard(t *testing.T) {
	t.Parallel()
	held := working(t).rec
	free := working(t).yield().rec
	run := held.RunGuard()
	if want := (task.Guard{Revision: held.Revision, Fence: held.Fence, LeaseID: held.Lease.ID}); run != want {
		t.Fatalf("got the run's guard %+v, want %+v", run, want)
	}
	tests := map[string]struct {
		g             task.Guard
		r             *task.Record
		admits, holds bool
	}{
		"a run's own":              {run, held, true, true},
		"another revision":         {task.Guard{Revision: run.Revision + 1, Fence: run.Fence, LeaseID: run.LeaseID}, held, false, true},
		"an older revision":        {task.Guard{Revision: run.Revision - 1, Fence: run.Fence, LeaseID: run.LeaseID}, held, false, true},
		"another fence":            {task.Guard{Revision: run.Revision, Fence: run.Fence + 1, LeaseID: run.LeaseID}, held, false, false},
		"an older fence":           {task.Guard{Revision: run.Revision, Fence: run.Fence - 1, LeaseID: run.LeaseID}, held, false, false},
		"another lease":            {task.Guard{Revision: run.Revision, Fence: run.Fence, LeaseID: "other"}, held, false, false},
		"a caller's":               {held.Guard(), held, true, false},
		"a caller's, stale":        {task.Guard{Revision: held.Revision - 1}, held, false, false},
		"a run's, let go":          {task.Guard{Revision: free.Revision, Fence: free.Fence, LeaseID: run.LeaseID}, free, false, false},
		"of a task nobody holds":   {free.RunGuard(), free, true, false},
		"a caller's on a free one": {free.Guard(), free, true, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.g.Admits(test.r); got != test.admits {
				t.Errorf("got admits %v, want %v", got, test.admits)
			}
			if got := test.g.Holds(test.r); got != test.holds {
				t.Errorf("got holds %v, want %v", got, test.holds)
			}
		})
	}
}

// What renewals, marks and recovery write under no revision survives a commit made of an older read.
func TestChange_Apply(t *testing.T) {
	t.Parallel()
	s := working(t).startPushes()
	moved := copyOf(t, s.rec)
	moved.Lease.Until = s.now.Add(time.Hour)
	moved.Wake = s.now.Add(2 * time.Hour)
	moved.Pushed = new(uint64(77))

	step, err := task.Advance(s.rec, task.Step{}, s.write())
	if err != nil {
		t.Fatal(err)
	}
	got := step.Apply(moved)
	if !got.Lease.Until.Equal(moved.Lease.Until) || !got.Wake.Equal(moved.Wake) || *got.Pushed != 77 {
		t.Errorf("a step wrote back: lease end %v, wake %v, pushed %d", got.Lease.Until, got.Wake, *got.Pushed)
	}

	yield, err := task.Yield(s.rec, task.Step{}, s.write())
	if err != nil {
		t.Fatal(err)
	}
	got = yield.Apply(moved)
	if got.Lease != nil || !got.Wake.Equal(s.now.Add(time.Minute)) || *got.Pushed != 77 {
		t.Errorf("a yield left: lease %v, wake %v, pushed %d; want none, its own, 77", got.Lease, got.Wake, *got.Pushed)
	}

	s.later(time.Hour)
	claim := task.Claim(s.rec, claiming("fresh", s.now))
	if got := claim.Apply(moved).Lease; got.ID != "fresh" || !got.Until.Equal(s.now.Add(lease)) {
		t.Errorf("a claim left the lease %+v, want its own", got)
	}

	first := task.StartPushes(working(t).rec, s.write())
	if got := first.Apply(working(t).rec); got.Pushed == nil || *got.Pushed != 3 {
		t.Errorf("the first push config left the mark %v, want 3", got.Pushed)
	}
}

// What Apply returns shares nothing with the change: a write is repeated from it.
func TestChange_ApplyTwice(t *testing.T) {
	t.Parallel()
	s := answered(t)
	c, err := task.Advance(s.rec, task.Step{Plan: []task.Effect{effect("eff_new", task.ClassRead, task.EffectApproved)}}, s.write())
	if err != nil {
		t.Fatal(err)
	}
	first := c.Apply(s.rec)
	want := copyOf(t, first)
	first.Lease.ID = "changed"
	first.Writes[0] = "changed"
	delete(first.Effects, "eff_new")
	delete(first.Seen, "m-seen")
	if d := diff(want, c.Apply(s.rec)); d != "" {
		t.Errorf("the second differs (-first +second):\n%s", d)
	}
}

// A rule does not write into the room behind the lists of the record it was given: the same
// transition may be made of it again.
func TestChange_SharesNoRoom(t *testing.T) {
	t.Parallel()
	s := working(t).step(task.Step{})
	writes := append(make([]string, 0, 4), s.rec.Writes...)
	pending := make([]interaction.Interaction, 0, 4)
	s.rec.Writes, s.rec.Pending = writes, pending
	if _, err := task.Pause(s.rec, asks(question("q")), task.Step{}, s.write()); err != nil {
		t.Fatal(err)
	}
	if w, p := writes[:2][1], pending[:1][0].ID; w != "" || p != "" {
		t.Errorf("behind the record's lists now stand %q and %q", w, p)
	}
}

// The ring keeps eight write ids, and one for every revision.
func TestWrites(t *testing.T) {
	t.Parallel()
	s := working(t)
	for i := range 10 {
		s.step(task.Step{})
		want := min(i+1, 8)
		if got := len(s.rec.Writes); got != want {
			t.Errorf("after %d writes the ring holds %d, want %d", i+1, got, want)
		}
		if got, want := s.rec.Writes[len(s.rec.Writes)-1], fmt.Sprintf("w%d", s.writes); got != want {
			t.Errorf("the newest is %q, want %q", got, want)
		}
	}
}

// Protocol rule 2, and counterexamples 6 and 15.
func TestResolve(t *testing.T) {
	t.Parallel()
	foreign := func(s *story, n int) *story {
		for range n {
			s.step(task.Step{}) // another writer's, as far as the ring can tell
		}
		return s
	}
	type write func(*story) (*task.Change, error)
	step := func(s *story) (*task.Change, error) { return task.Advance(s.rec, task.Step{}, s.write()) }
	pause := func(s *story) (*task.Change, error) {
		return task.Pause(s.rec, asks(question("eff_q")), task.Step{}, s.write())
	}
	finish := func(s *story) (*task.Change, error) {
		return task.Finish(s.rec, task.Ending{State: a2a.TaskStateCompleted}, task.Step{}, nil, s.write())
	}
	yield := func(s *story) (*task.Change, error) { return task.Yield(s.rec, task.Step{}, s.write()) }
	tests := map[string]struct {
		write   write
		applied bool
		then    func(*story) *story // what others wrote before the write was repeated
		want    task.Verdict
	}{
		"applied":                               {step, true, same, task.Applied},
		"not applied, another's came first":     {step, false, (*story).startPushes, task.Repeat},
		"not applied, nothing came":             {step, false, same, task.Repeat},
		"applied, another's after it":           {step, true, (*story).startPushes, task.Applied},
		"applied, seven after it":               {step, true, func(s *story) *story { return foreign(s, 7) }, task.Applied},
		"applied, eight after it: unknown":      {step, true, func(s *story) *story { return foreign(s, 8) }, task.Repeat},
		"not applied, eight came":               {step, false, func(s *story) *story { return foreign(s, 8) }, task.Repeat},
		"applied, then claimed by another":      {step, true, func(s *story) *story { return s.later(time.Hour).claim() }, task.Lost},
		"not applied, claimed by another":       {step, false, func(s *story) *story { return s.later(time.Hour).claim() }, task.Lost},
		"applied, then canceled":                {step, true, (*story).cancel, task.Lost},
		"not applied, canceled":                 {step, false, (*story).cancel, task.Lost},
		"a pause applied":                       {pause, true, same, task.Applied},
		"a pause applied and answered":          {pause, true, func(s *story) *story { return s.answer(text("m", "a")) }, task.Applied},
		"a pause applied, answered and claimed": {pause, true, func(s *story) *story { return s.answer(text("m", "a")).claim() }, task.Lost},
		"a pause applied, then canceled":        {pause, true, (*story).cancel, task.Lost},
		"a pause not applied":                   {pause, false, (*story).startPushes, task.Repeat},
		"a finish applied":                      {finish, true, same, task.Applied},
		"a finish applied, pushes started":      {finish, true, (*story).startPushes, task.Applied},
		"a yield applied":                       {yield, true, same, task.Applied},
		"a yield applied, then claimed":         {yield, true, (*story).claim, task.Lost},
		"a step, its run let go since":          {step, false, (*story).yield, task.Lost},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := working(t).step(task.Step{})
			c, err := test.write(s)
			if err != nil {
				t.Fatal(err)
			}
			if test.applied {
				s.took(c, nil)
			}
			if got := task.Resolve(c, test.then(s).rec); got != test.want {
				t.Errorf("got verdict %d, want %d", got, test.want)
			}
		})
	}
	t.Run("the record is gone", func(t *testing.T) {
		t.Parallel()
		c, err := step(working(t))
		if err != nil {
			t.Fatal(err)
		}
		if got := task.Resolve(c, nil); got != task.Lost {
			t.Errorf("got verdict %d, want lost", got)
		}
	})
}

func same(s *story) *story { return s }
