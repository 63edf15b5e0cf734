package task_test

import (
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// The tests of this file are the counterexamples that the protocol was found by, as far as the
// rules alone decide them; each is named after its number.

// The same poke reaches one replica twice: the second claim finds a live lease, whoever has it.
func TestCounterexample01_OneReplicaClaimsTwice(t *testing.T) {
	t.Parallel()
	s := working(t)
	first := *s.rec.Lease
	if c := task.Claim(s.rec, claiming("second", s.now)); c != nil {
		t.Fatal("a second claim of the replica succeeds over its own lease")
	}
	// Once it may, the first run is lost, though its replica's name is still there.
	s.later(time.Minute).claim()
	zombie := task.Guard{Revision: s.rec.Revision, Fence: s.rec.Fence, LeaseID: first.ID}
	if first.Replica != s.rec.Lease.Replica || zombie.Admits(s.rec) || zombie.Holds(s.rec) {
		t.Error("the first run still writes under its replica's name")
	}
}

// A text was meant for question 1, which another answer won; the run has paused again on question 2
// when the write is repeated.
func TestCounterexample03_TextAnswersAQuestionItsSenderNeverSaw(t *testing.T) {
	t.Parallel()
	s := working(t).pause(question("q1"))
	late := answering(t, text("m-late", "to question 1"))
	open, _ := s.rec.Open()
	late.Open = &open
	if _, err := task.Answer(s.rec, late, s.command()); err != nil {
		t.Fatalf("while question 1 is open: %v", err)
	}
	s.answer(text("m-first", "another")).claim().pause(question("q2"))

	c, err := task.Answer(s.rec, late, s.command())
	if e := wantRefused(t, err, a2a.CodeUnsupportedOperation); c != nil || e.Metadata["interactionId"] != "q2" {
		t.Errorf("got change %v, metadata %v, want it refused with what is open", c, e.Metadata)
	}
	addressed := answering(t, reply("m-2", "q1", `"value":1`))
	addressed.Open = &open
	_, err = task.Answer(s.rec, addressed, s.command())
	wantRefused(t, err, a2a.CodeUnsupportedOperation)
}

// A task made again under a derived id inherits neither effects nor fence.
func TestCounterexample04_DerivedIDUsedAgain(t *testing.T) {
	t.Parallel()
	make := func(born string, at time.Time) *task.Record {
		r, _ := task.Accept(task.Acceptance{Key: task.Key{ID: "t1.same"}, Message: text("m", "a"), Born: born, At: at})
		return r
	}
	old, again := make("b1", start), make("b2", start.Add(25*time.Hour))
	if task.EffectID(old, 1, 0) == task.EffectID(again, 1, 0) {
		t.Error("both tasks have one effect id: a late answer could approve another call")
	}
	// However often the old task was claimed in a day, its runs are below the new one's fence.
	if got := again.Fence - old.Fence; got != uint64((25 * time.Hour).Milliseconds()) {
		t.Errorf("the new fence is %d above the old, want the milliseconds between", got)
	}
}

// A create was applied, its answer lost, and a worker claimed the task before the repeat.
func TestCounterexample05_CreateAppliedButRefused(t *testing.T) {
	t.Parallel()
	s := accepted(t)
	made := copyOf(t, s.rec)
	if err := task.Created(made, s.claim().step(task.Step{}).rec); err != nil {
		t.Errorf("got %v, want the call's own task", err)
	}
}

// An intent was applied, its answer lost, and a push config came in between: the run must know its
// own write, and must not ask a person whether something happened that did not.
func TestCounterexample06_ForeignWriteInBetween(t *testing.T) {
	t.Parallel()
	s := working(t).plan(effect("eff_1", task.ClassWrite, task.EffectApproved))
	c, err := task.Intent(s.rec, "eff_1", s.write())
	s.took(c, err).startPushes()
	if got := task.Resolve(c, s.rec); got != task.Applied {
		t.Errorf("got verdict %d, want applied", got)
	}
	if task.Takeover(s.rec, s.command()) != nil {
		t.Error("a person is asked about this run's own call")
	}
	// After a plain conflict the same transition is repeated.
	s = working(t).plan(effect("eff_1", task.ClassWrite, task.EffectApproved))
	w := s.write()
	c, err = task.Intent(s.rec, "eff_1", w)
	if err != nil {
		t.Fatal(err)
	}
	s.startPushes()
	if got := task.Resolve(c, s.rec); got != task.Repeat {
		t.Fatalf("got verdict %d, want repeat", got)
	}
	if s.took(task.Intent(s.rec, "eff_1", w)); s.rec.Effects["eff_1"].State != task.EffectSent {
		t.Error("the repeated intent did not apply")
	}
	// A renewal is no write that a run could trip over.
	renewed := copyOf(t, s.rec)
	renewed.Lease.Until = renewed.Lease.Until.Add(time.Hour)
	if !s.rec.RunGuard().Admits(renewed) {
		t.Error("a renewal made the run's write fail")
	}
}

// An answer was applied, its answer lost, and a worker claimed: the repeat is no −32004.
func TestCounterexample07_AnswerAppliedButRefused(t *testing.T) {
	t.Parallel()
	m := text("m", "this one")
	s := working(t).pause(question("q")).answer(m)
	for _, r := range []*task.Record{s.rec, s.claim().rec, s.pause(question("q2")).rec, s.cancel().rec} {
		a := answering(t, m)
		a.Open = &interaction.Interaction{ID: "q", Kind: interaction.Question}
		if c, err := task.Answer(r, a, s.command()); c != nil || err != nil {
			t.Errorf("in state %s got change %v, error %v, want neither", r.Status.State, c, err)
		}
	}
}

// Completed, crashed before pushing, redelivered: not claimable, but something is owed.
func TestCounterexample08_FinishedButNotPushed(t *testing.T) {
	t.Parallel()
	s := working(t).startPushes().finish(a2a.TaskStateCompleted)
	if task.Claim(s.rec, claiming("again", s.now)) != nil || !s.rec.Owes() {
		t.Error("the finished task owes nothing or is worked on again")
	}
}

// A message among the dead letters, or a cancel nobody was poked for: recovery still finds it.
func TestCounterexample09_NobodyIsPoked(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*story{
		"finished": working(t).startPushes().finish(a2a.TaskStateCompleted),
		"paused":   working(t).startPushes().pause(question("q")),
		"canceled": accepted(t).startPushes().cancel(),
	} {
		if want := s.now.Add(task.WakeAfter); !s.rec.Wake.Equal(want) {
			t.Errorf("%s: got wake %v, want %v", name, s.rec.Wake, want)
		}
	}
}

// An answer's event commits while a drain of the pause is under way: its mark wipes nothing.
func TestCounterexample10_AnswerCommittedDuringADrain(t *testing.T) {
	t.Parallel()
	s := working(t).startPushes().pause(question("q"))
	drained := s.rec
	s.answer(text("m", "a"))
	marked := s.rec.Marked(drained.Revision, drained.LastStatus)
	if !marked.Owes() || !marked.Wake.Equal(s.rec.Wake) || *marked.Pushed != drained.LastStatus {
		t.Errorf("got mark %d of %d, wake %v: the answer's status is lost", *marked.Pushed, marked.LastStatus, marked.Wake)
	}
	// A slower drain of less takes nothing back.
	if again := marked.Marked(drained.Revision, drained.LastStatus-1); *again.Pushed != drained.LastStatus {
		t.Errorf("got mark %d, want %d", *again.Pushed, drained.LastStatus)
	}
}

// Every status is numbered by the record, so that what is owed can be told in order.
func TestCounterexample11_OwedInOrder(t *testing.T) {
	t.Parallel()
	s := working(t).startPushes().pause(question("q")).answer(text("m", "a")).claim().finish(a2a.TaskStateCompleted)
	var owed []uint64
	for _, e := range s.events {
		if e.Status != nil && e.Seq > *s.rec.Pushed {
			owed = append(owed, e.Seq)
		}
	}
	if want := []uint64{4, 6, 7}; diff(want, owed) != "" || s.rec.LastStatus != 7 {
		t.Errorf("got owed %v up to %d, want %v", owed, s.rec.LastStatus, want)
	}
}

// A drain is abandoned unmarked: the record still owes all, and recovery still looks at it.
func TestCounterexample12_AbandonedDrain(t *testing.T) {
	t.Parallel()
	s := working(t).startPushes().finish(a2a.TaskStateCompleted)
	part := s.rec.Marked(s.rec.Revision, s.rec.LastStatus-1)
	if !part.Owes() || part.Wake.IsZero() {
		t.Errorf("got owes %v, wake %v, want both", part.Owes(), part.Wake)
	}
}

// A renewal that comes after the run let go revives no lease.
func TestCounterexample13_LateRenewal(t *testing.T) {
	t.Parallel()
	for name, release := range map[string]func(*story) *story{
		"pause":    func(s *story) *story { return s.pause(question("q")) },
		"yield":    (*story).yield,
		"finish":   func(s *story) *story { return s.finish(a2a.TaskStateCompleted) },
		"cancel":   (*story).cancel,
		"takeover": func(s *story) *story { return s.later(time.Hour).claim() },
	} {
		s := working(t)
		renewal := s.rec.RunGuard()
		if !renewal.Holds(s.rec) {
			t.Fatal("a run cannot renew its lease")
		}
		if renewal.Holds(release(s).rec) {
			t.Errorf("%s: a late renewal is admitted", name)
		}
	}
}

// A yield's poke meets no lease once the yield is committed.
func TestCounterexample14_YieldThenPoke(t *testing.T) {
	t.Parallel()
	s := working(t).yield()
	if task.Claim(s.rec, claiming("next", s.now)) == nil {
		t.Error("the next slice has to wait")
	}
}

// A run that lost its fence learns it from every refused write.
func TestCounterexample15_LostRun(t *testing.T) {
	t.Parallel()
	s := working(t)
	c, err := task.Finish(s.rec, task.Ending{State: a2a.TaskStateCompleted}, task.Step{}, nil, s.write())
	if err != nil {
		t.Fatal(err)
	}
	if s.later(time.Hour).claim(); c.Guard.Admits(s.rec) || task.Resolve(c, s.rec) != task.Lost {
		t.Error("the lost run's last write is admitted, or taken for one to go on from")
	}
}

// The outcome of a call that another run has taken over settles nothing: a person's "send again"
// must not apply to a settled call.
func TestCounterexample19_LateOutcome(t *testing.T) {
	t.Parallel()
	s := torn(t, task.ClassWrite)
	c, err := task.Advance(s.rec, task.Step{Settle: []string{"eff_1"}}, s.write())
	wantAgentError(t, c, err)
}

// The first push config races a commit: one of the two is refused and sees the other.
func TestCounterexample20_FirstPushConfigRacesACommit(t *testing.T) {
	t.Parallel()
	s := working(t)
	finish, err := task.Finish(s.rec, task.Ending{State: a2a.TaskStateCompleted}, task.Step{}, nil, s.write())
	if err != nil {
		t.Fatal(err)
	}
	config := task.StartPushes(s.rec, s.write())
	if finish.Guard.Admits(config.Apply(s.rec)) {
		t.Error("the commit does not see the push config")
	}
	if config.Guard.Admits(finish.Apply(s.rec)) {
		t.Error("the push config does not see the commit")
	}
}
