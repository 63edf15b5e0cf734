package storetest

import (
	"errors"
	"sync"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

func create(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1")
	l.check()
	l.startPushes().check()
}

// A create is conditional: who comes second gets what is there, and changes nothing.
func createRefused(t testing.TB, h Harness) {
	first := begin(t, h.Store, "t1").claim()
	second := newLife(t, h.Store, alice, "t1", "other")
	refused(t, "Create", h.Store.Create(t.Context(), second.rec, second.events), first.rec)
	first.check()
}

func createRace(t testing.TB, h Harness) {
	lives := make([]*life, 16)
	won := make([]bool, len(lives))
	var wg sync.WaitGroup
	for i := range lives {
		lives[i] = newLife(t, h.Store, alice, "t1", "ctx")
		wg.Go(func() {
			err := h.Store.Create(t.Context(), lives[i].rec, lives[i].events)
			var r *task.Refused
			if won[i] = err == nil; err != nil && !errors.As(err, &r) {
				t.Errorf("Create: got %v, want it refused", err)
			}
		})
	}
	wg.Wait()
	winner := onlyOne(t, won)
	lives[winner].check()
}

// onlyOne is the one of many that won.
func onlyOne(t testing.TB, won []bool) int {
	t.Helper()
	winner, n := 0, 0
	for i, w := range won {
		if w {
			winner, n = i, n+1
		}
	}
	if n != 1 {
		t.Fatalf("winners: got %d of %d, want 1", n, len(won))
	}
	return winner
}

// Nothing that a caller has in hand is what the store keeps (STORE-10).
func copies(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim().step(task.Step{
		Rows: []task.Row{{Name: "state", Value: []byte("one")}}, Events: []task.Event{said("Hello.")},
	}).ask("q1").answer("m-a").claim()
	c, err := task.Advance(l.rec, task.Step{
		Rows: []task.Row{{Name: "state", Value: []byte("two")}}, Events: []task.Event{said("Bye.")},
		Plan: []task.Effect{{ID: "eff_1", Class: task.ClassRead, State: task.EffectApproved}},
	}, l.write())
	l.commit(c, err)
	want, wantEvents, err := h.Store.Read(t.Context(), l.rec.Key, 0)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	r, events, err := h.Store.Read(t.Context(), l.rec.Key, 0)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	deface(r, events)
	deface(l.rec, l.events)
	deface(&c.Next, c.Events)
	copy(c.Rows[0].Value, "xxx")
	for row, err := range h.Store.Journal(t.Context(), want.Key, task.AgentRows) {
		if err != nil || string(row.Value) != "two" {
			t.Fatalf("Journal: got %q, %v, want two", row.Value, err)
		}
		copy(row.Value, "yyy")
	}

	again, againEvents, err := h.Store.Read(t.Context(), want.Key, 0)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	diff(t, "record", want, again)
	diff(t, "events", wantEvents, againEvents)
	diff(t, "rows", []string{"agent/state=two"}, rows(t, h.Store, want.Key, task.AgentRows))
}

// deface changes all that can be reached from a record and its events.
func deface(r *task.Record, events []task.Event) {
	r.Lease.Until = r.Lease.Until.Add(1)
	for i := range r.Writes {
		r.Writes[i] = "defaced"
	}
	r.Run.Principal.Scopes[0] = "defaced"
	clear(r.Seen)
	clear(r.Effects)
	for _, e := range events {
		if e.Message != nil {
			e.Message.Parts[0].Content = a2a.Text("defaced")
		}
		if e.Status != nil {
			e.Status.State = "defaced"
		}
	}
}
