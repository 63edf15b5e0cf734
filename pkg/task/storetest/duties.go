package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// A renewal moves the lease's end and nothing else.
func renew(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim()
	l.renewTo(l.now.Add(time.Hour))
	l.check()
}

// renewTo renews the lease, knowing nothing of the record but its guard.
func (l *life) renewTo(until time.Time) {
	l.t.Helper()
	g := l.rec.RunGuard()
	g.Revision = 0 // which a renewal is not conditioned on
	if err := l.store.Renew(l.t.Context(), l.rec.Key, g, until); err != nil {
		l.t.Fatalf("Renew: %v", err)
	}
	l.rec.Lease.Until = until
}

func renewRefused(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim()
	old := l.rec.RunGuard()
	l.takeover()
	for what, g := range map[string]task.Guard{
		"an old run":   old,
		"an old fence": {Fence: old.Fence, LeaseID: l.rec.Lease.ID},
		"an old lease": {Fence: l.rec.Fence, LeaseID: old.LeaseID},
	} {
		refused(t, "Renew of "+what, h.Store.Renew(t.Context(), l.rec.Key, g, l.now.Add(time.Hour)), l.rec)
	}
	released := l.rec.RunGuard()
	l.ask("q1")
	refused(t, "Renew of a released lease", h.Store.Renew(t.Context(), l.rec.Key, released, l.now.Add(time.Hour)), l.rec)
	l.check()
}

// What is written under no revision is never copied back from an earlier read: the lease's end,
// the mark, the wake.
func commitKeeps(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").startPushes().claim()
	c, err := task.Advance(l.rec, task.Step{Events: []task.Event{said("one")}}, l.write())
	if err != nil {
		t.Fatalf("Advance: %v", err)
	}
	l.renewTo(l.now.Add(time.Hour))
	if err := h.Store.Mark(t.Context(), l.rec.Key, l.rec.Revision, l.rec.LastStatus); err != nil {
		t.Fatalf("Mark: %v", err)
	}
	l.rec.Pushed = &l.rec.LastStatus
	wake := l.rec.Wake.Add(time.Hour)
	if err := h.Store.Defer(t.Context(), task.Due{Key: l.rec.Key, Wake: l.rec.Wake}, wake); err != nil {
		t.Fatalf("Defer: %v", err)
	}
	l.rec.Wake = wake
	met := l.rec
	l.commit(c, nil).check()
	if !l.rec.Lease.Until.Equal(met.Lease.Until) || !l.rec.Wake.Equal(wake) || *l.rec.Pushed != *met.Pushed {
		t.Errorf("after the commit: got lease until %v, wake %v, pushed %d, want %v, %v, %d",
			l.rec.Lease.Until, l.rec.Wake, *l.rec.Pushed, met.Lease.Until, wake, *met.Pushed)
	}
}

// A mark only rises, and removes the wake of a task that has nothing left to do.
func mark(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").startPushes().claim().finish()
	last := l.rec.LastStatus
	for _, pushed := range []uint64{last - 1, last - 2, last, last - 1} {
		if err := h.Store.Mark(t.Context(), l.rec.Key, l.rec.Revision, pushed); err != nil {
			t.Fatalf("Mark %d: %v", pushed, err)
		}
		l.rec = l.rec.Marked(l.rec.Revision, pushed)
		l.check()
	}
	if *l.rec.Pushed != last || !l.rec.Wake.IsZero() {
		t.Errorf("got pushed %d, wake %v, want %d and none", *l.rec.Pushed, l.rec.Wake, last)
	}
	quiet := begin(t, h.Store, "t2").claim().finish()
	if err := h.Store.Mark(t.Context(), quiet.rec.Key, quiet.rec.Revision, 9); err != nil {
		t.Fatalf("Mark of a task without pushes: %v", err)
	}
	quiet.check()
}

// The wake stays while the task is live, owes a status, or is not as it was read.
func markKeepsWake(t testing.TB, h Harness) {
	live := begin(t, h.Store, "live").startPushes().claim()
	owes := begin(t, h.Store, "owes").startPushes().claim().finish()
	paused := begin(t, h.Store, "read earlier").startPushes().claim().ask("q1")
	for _, m := range []struct {
		*life
		revision, pushed uint64
	}{
		{live, live.rec.Revision, live.rec.LastStatus},
		{owes, owes.rec.Revision, owes.rec.LastStatus - 1},
		{paused, paused.rec.Revision - 1, paused.rec.LastStatus},
	} {
		if err := h.Store.Mark(t.Context(), m.rec.Key, m.revision, m.pushed); err != nil {
			t.Fatalf("Mark: %v", err)
		}
		m.rec.Pushed = &m.pushed
		if m.check(); m.rec.Wake.IsZero() {
			t.Errorf("%s: the wake is gone", m.rec.ID)
		}
	}
}

// Recovery sees what is due in every scope, oldest first, and stops when it has enough.
func due(t testing.TB, h Harness) {
	var want []task.Due
	for i, id := range []string{"t3", "t1", "t2"} {
		l := newLife(t, h.Store, task.Scope{Tenant: "tenant-" + id, Owner: id}, id, "ctx")
		l.now = start.Add(time.Duration(i) * time.Minute)
		l.create().claim()
		want = append(want, task.Due{Key: l.rec.Key, Wake: l.rec.Wake})
	}
	begin(t, h.Store, "finished").claim().finish()
	begin(t, h.Store, "paused").claim().ask("q1")
	h.settle()
	diff(t, "due", want, dueBefore(t, h.Store, start.Add(time.Hour), 10))
	diff(t, "first two", want[:2], dueBefore(t, h.Store, start.Add(time.Hour), 2))
	diff(t, "due at the wake of the second", want[:1], dueBefore(t, h.Store, want[1].Wake, 10))
	diff(t, "due at the start", nil, dueBefore(t, h.Store, start, 10))
}

func dueBefore(t testing.TB, s task.Store, now time.Time, limit int) []task.Due {
	t.Helper()
	var all []task.Due
	for d, err := range s.Due(t.Context(), now) {
		if err != nil {
			t.Fatalf("Due: %v", err)
		}
		if all = append(all, d); len(all) == limit {
			break
		}
	}
	return all
}

// Whoever goes through what is due may read and write meanwhile, as recovery does.
func dueWriting(t testing.TB, h Harness) {
	lives := map[string]*life{}
	for _, id := range []string{"t1", "t2", "t3"} {
		lives[id] = begin(t, h.Store, id)
	}
	h.settle()
	n := 0
	for d, err := range h.Store.Due(t.Context(), start.Add(time.Hour)) {
		if err != nil {
			t.Fatalf("Due: %v", err)
		}
		n++
		l := lives[d.Key.ID]
		l.check()
		wake := start.Add(2 * time.Hour)
		if err := h.Store.Defer(t.Context(), d, wake); err != nil {
			t.Fatalf("Defer: %v", err)
		}
		l.rec.Wake = wake
		l.check()
		l.claim()
	}
	if n != len(lives) {
		t.Errorf("due: got %d, want %d", n, len(lives))
	}
	h.settle()
	diff(t, "due later", nil, dueBefore(t, h.Store, start.Add(time.Minute), 10))
}

// Of two recoveries one takes a task.
func deferRace(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1")
	won := make([]bool, 16)
	var wg sync.WaitGroup
	for i := range won {
		wg.Go(func() {
			wake := l.rec.Wake.Add(time.Duration(i+1) * time.Minute)
			err := h.Store.Defer(t.Context(), task.Due{Key: l.rec.Key, Wake: l.rec.Wake}, wake)
			var r *task.Refused
			if won[i] = err == nil; err != nil && !errors.As(err, &r) {
				t.Errorf("Defer: got %v, want it refused", err)
			}
		})
	}
	wg.Wait()
	l.rec.Wake = l.rec.Wake.Add(time.Duration(onlyOne(t, won)+1) * time.Minute)
	l.check()
}

func deferRefused(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1")
	read := task.Due{Key: l.rec.Key, Wake: l.rec.Wake}
	l.claim()
	refused(t, "Defer after a claim", h.Store.Defer(t.Context(), read, l.now.Add(time.Hour)), l.rec)
	read.Wake = l.rec.Wake
	l.finish()
	refused(t, "Defer of a finished task", h.Store.Defer(t.Context(), read, l.now.Add(time.Hour)), l.rec)
	l.check()
}

// A task that waits for a person in vain is due when its interaction expires, also after a
// mark, and then goes on.
func expire(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").startPushes().claim()
	l.commit(task.Pause(l.rec, []interaction.Interaction{interaction.NewQuestion("q1", "?")}, task.Step{Patience: time.Hour}, l.write()))
	if err := h.Store.Mark(t.Context(), l.rec.Key, l.rec.Revision, l.rec.LastStatus); err != nil {
		t.Fatalf("Mark: %v", err)
	}
	l.rec = l.rec.Marked(l.rec.Revision, l.rec.LastStatus)
	l.check()
	if l.rec.Expires.IsZero() || !l.rec.Wake.Equal(l.rec.Expires) {
		t.Fatalf("expires %v, wake %v", l.rec.Expires, l.rec.Wake)
	}
	w := l.write()
	w.At = l.rec.Expires
	l.commit(task.Expire(l.rec, w))
	l.check()
	if !l.rec.Live() || !l.rec.Expires.IsZero() {
		t.Errorf("after it: %s, expires %v", l.rec.Status.State, l.rec.Expires)
	}
}
