package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// A claim raises fence and attempts, and starts a submitted task (STORE-07, STORE-09).
func claim(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1")
	before, c := l.rec, l.claiming()
	want := task.Claim(before, c)
	got, err := h.Store.Claim(t.Context(), before.Key, c, before.Status.State)
	if err != nil {
		t.Fatalf("Claim: %v", err)
	}
	diff(t, "claimed", want.Apply(before), got)
	if got.Fence != before.Fence+1 || got.Attempts != 1 || got.Status.State != a2a.TaskStateWorking {
		t.Errorf("claimed: got fence %d, attempts %d, state %s", got.Fence, got.Attempts, got.Status.State)
	}
	l.rec, l.events = got, append(l.events, want.Events...)
	l.check()
	l.takeover().check()
	if l.rec.Attempts != 2 {
		t.Errorf("attempts after a takeover: got %d, want 2", l.rec.Attempts)
	}
}

func claimRace(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1")
	claims := make([]task.Claiming, 16)
	won := make([]bool, len(claims))
	var wg sync.WaitGroup
	for i := range claims {
		claims[i] = l.claiming()
		wg.Go(func() {
			_, err := h.Store.Claim(t.Context(), l.rec.Key, claims[i], l.rec.Status.State)
			var r *task.Refused
			switch won[i] = err == nil; {
			case err == nil:
			case !errors.As(err, &r):
				t.Errorf("Claim: got %v, want it refused", err)
			case r.Current == nil || r.Current.Lease == nil:
				t.Errorf("Claim: the refusal shows %+v, want who holds the task", r.Current)
			}
		})
	}
	wg.Wait()
	winner := onlyOne(t, won)
	change := task.Claim(l.rec, claims[winner])
	l.rec, l.events = change.Apply(l.rec), append(l.events, change.Events...)
	l.check()
}

// A live lease keeps everybody away, even who has it, until two seconds after its end.
func claimHeld(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim()
	end := l.rec.Lease.Until
	for _, at := range []time.Time{l.now, end, end.Add(time.Millisecond), end.Add(task.ClaimMargin)} {
		for _, id := range []string{"another", l.rec.Lease.ID} {
			c := task.Claiming{Lease: task.Lease{ID: id, Replica: "r1", Until: at.Add(leaseTime)}, Now: at}
			_, err := h.Store.Claim(t.Context(), l.rec.Key, c, l.rec.Status.State)
			refused(t, "Claim "+at.Sub(end).String()+" after the end", err, l.rec)
		}
	}
	l.check()
	l.now = end.Add(task.ClaimMargin) // claim adds a second
	l.claim().check()
}

func claimNotLive(t testing.TB, h Harness) {
	for _, l := range []*life{
		begin(t, h.Store, "paused").claim().ask("q1"),
		begin(t, h.Store, "finished").claim().finish(),
		begin(t, h.Store, "canceled").cancel(),
	} {
		l.now = l.now.Add(time.Hour)
		_, err := h.Store.Claim(t.Context(), l.rec.Key, l.claiming(), l.rec.Status.State)
		refused(t, "Claim of a task "+l.rec.ID, err, l.rec)
		l.check()
	}
}

func claimHint(t testing.TB, h Harness) {
	for id, hint := range map[string]a2a.TaskState{
		"none": "", "working": a2a.TaskStateWorking, "paused": a2a.TaskStateInputRequired,
	} {
		l := begin(t, h.Store, id)
		r, err := h.Store.Claim(t.Context(), l.rec.Key, l.claiming(), hint)
		if err != nil || r.Status.State != a2a.TaskStateWorking || r.Events != 3 {
			t.Fatalf("Claim of a submitted task, hint %q: got %+v, %v", hint, r, err)
		}
		l.now = l.now.Add(time.Hour)
		r, err = h.Store.Claim(t.Context(), l.rec.Key, l.claiming(), a2a.TaskStateSubmitted)
		if err != nil || r.Attempts != 2 || r.Events != 3 {
			t.Fatalf("Claim of a working task, hint submitted: got %+v, %v", r, err)
		}
	}
}
