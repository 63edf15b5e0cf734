package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// A change is written whole: record, events, rows.
func commit(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim()
	l.step(task.Step{
		Rows:   []task.Row{{Name: "a", Value: []byte("1")}, {Name: "b", Value: []byte("2")}},
		Events: []task.Event{said("one"), said("two")},
		Plan:   []task.Effect{{ID: "eff_1", Class: task.ClassWrite, State: task.EffectApproved}},
	})
	l.check()
	l.commit(task.Intent(l.rec, "eff_1", l.write())).check()
	l.step(task.Step{Settle: []string{"eff_1"}, Rows: []task.Row{{Name: "a", Value: []byte("3")}}}).check()
	diff(t, "rows", []string{"agent/a=3", "agent/b=2"}, rows(t, h.Store, l.rec.Key, ""))
	l.ask("q1").check()
	l.answer("m-answer").check()
	l.claim().commit(task.Yield(l.rec, task.Step{}, l.write())).check()
	l.claim().finish().check()
}

// A write conditioned on what was read before another's changes nothing.
func commitStale(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim()
	stale, err := task.Cancel(l.rec, l.write())
	if err != nil {
		t.Fatalf("Cancel: %v", err)
	}
	own, err := task.Advance(l.rec, task.Step{Rows: []task.Row{{Name: "a", Value: []byte("stale")}}}, l.write())
	if err != nil {
		t.Fatalf("Advance: %v", err)
	}
	l.step(task.Step{Rows: []task.Row{{Name: "a", Value: []byte("1")}}, Events: []task.Event{said("one")}})
	for what, c := range map[string]*task.Change{"a cancel": stale, "a step": own} {
		_, err := h.Store.Commit(t.Context(), l.rec.Key, c)
		refused(t, "Commit of "+what, err, l.rec)
	}
	l.check()
	diff(t, "rows", []string{"agent/a=1"}, rows(t, h.Store, l.rec.Key, ""))
}

// A run that lost its task changes nothing, though it knows the revision.
func commitZombie(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim()
	zombie := l.rec.RunGuard()
	l.takeover()
	for what, g := range map[string]task.Guard{
		"fence and lease": {Revision: l.rec.Revision, Fence: zombie.Fence, LeaseID: zombie.LeaseID},
		"fence":           {Revision: l.rec.Revision, Fence: zombie.Fence, LeaseID: l.rec.Lease.ID},
		"lease":           {Revision: l.rec.Revision, Fence: l.rec.Fence, LeaseID: zombie.LeaseID},
	} {
		c, err := l.complete(0, "I am dead")
		if err != nil {
			t.Fatalf("Finish: %v", err)
		}
		c.Guard = g
		c.Rows = []task.Row{{Name: "agent/a", Value: []byte("dead")}}
		_, err = h.Store.Commit(t.Context(), l.rec.Key, c)
		refused(t, "Commit under an old "+what, err, l.rec)
	}
	l.check()
	diff(t, "rows", nil, rows(t, h.Store, l.rec.Key, ""))
	diff(t, "conversation", task.Transcript{}, transcript(t, h.Store, alice, "ctx", task.Latest))

	l.ask("q1") // which releases the lease
	c := &task.Change{Guard: zombie, Next: *l.rec}
	c.Guard.Revision = l.rec.Revision
	_, err := h.Store.Commit(t.Context(), l.rec.Key, c)
	refused(t, "Commit after the lease was released", err, l.rec)
	l.check()
}

// A change that can't be kept is an error, and changes nothing.
func commitUnwritable(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim()
	unwritable := a2a.Message{MessageID: "m", Parts: []a2a.Part{{}}} // a part without content
	for what, spoil := range map[string]func(*task.Change){
		"an event": func(c *task.Change) {
			c.Events = append(c.Events, task.Event{Seq: c.Next.Events + 1, Message: &unwritable})
		},
		"the turn":   func(c *task.Change) { c.Turn.Messages = []a2a.Message{unwritable} },
		"the record": func(c *task.Change) { c.Next.Status.Message = &unwritable },
	} {
		c, err := l.complete(0, "done")
		if err != nil {
			t.Fatalf("Finish: %v", err)
		}
		c.Rows = []task.Row{{Name: "agent/a", Value: []byte("1")}}
		spoil(c)
		_, err = h.Store.Commit(t.Context(), l.rec.Key, c)
		var r *task.Refused
		if err == nil || errors.As(err, &r) {
			t.Fatalf("Commit where %s can't be written: got %v, want an error", what, err)
		}
		l.check()
		diff(t, "rows", nil, rows(t, h.Store, l.rec.Key, ""))
		diff(t, "conversation", task.Transcript{}, transcript(t, h.Store, alice, "ctx", task.Latest))
	}
	l.finish().check()
}

// Of writers that read the same revision one wins.
func commitRace(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim().ask("q1")
	changes := make([]*task.Change, 16)
	won := make([]bool, len(changes))
	var wg sync.WaitGroup
	for i := range changes {
		c, err := task.Answer(l.rec, l.answering(fmt.Sprintf("m-%d", i)), l.write())
		if err != nil {
			t.Fatalf("Answer: %v", err)
		}
		changes[i] = c
		wg.Go(func() {
			_, err := h.Store.Commit(t.Context(), l.rec.Key, c)
			var r *task.Refused
			if won[i] = err == nil; err != nil && !errors.As(err, &r) {
				t.Errorf("Commit: got %v, want it refused", err)
			}
		})
	}
	wg.Wait()
	c := changes[onlyOne(t, won)]
	l.rec, l.events = c.Apply(l.rec), append(l.events, c.Events...)
	l.check()
	diff(t, "answers", []string{fmt.Sprintf("%s=%s", c.Rows[0].Name, c.Rows[0].Value)}, rows(t, h.Store, l.rec.Key, task.AnswerRows))
}
