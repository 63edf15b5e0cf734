package storetest

import (
	"errors"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Events are read from any number on, without gaps and up to the record's counter (protocol rule
// 10).
func read(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim()
	for _, words := range []string{"one", "two", "three"} {
		l.step(task.Step{Events: []task.Event{said(words), said(words + " again")}})
	}
	l.check()
	for after := range l.rec.Events + 2 {
		r, events, err := h.Store.Read(t.Context(), l.rec.Key, after)
		if err != nil {
			t.Fatalf("Read after %d: %v", after, err)
		}
		diff(t, "record", l.rec, r)
		diff(t, "events", l.events[min(after, l.rec.Events):], events)
	}
	if _, events, err := h.Store.Read(t.Context(), l.rec.Key, task.Latest); err != nil || len(events) > 0 {
		t.Fatalf("Read after Latest: got %d events, %v, want none", len(events), err)
	}
}

func readNotFound(t testing.TB, h Harness) {
	l := newLife(t, h.Store, alice, "t1", "ctx")
	k := l.rec.Key
	if _, _, err := h.Store.Read(t.Context(), k, 0); !errors.Is(err, task.ErrNotFound) {
		t.Errorf("Read: got %v, want ErrNotFound", err)
	}
	_, err := h.Store.Claim(t.Context(), k, l.claiming(), l.rec.Status.State)
	refused(t, "Claim", err, nil)
	c, err := task.Cancel(l.rec, l.write())
	if err != nil {
		t.Fatalf("Cancel: %v", err)
	}
	_, err = h.Store.Commit(t.Context(), k, c)
	refused(t, "Commit", err, nil)
	refused(t, "Renew", h.Store.Renew(t.Context(), k, task.Guard{LeaseID: "l"}, l.now), nil)
	refused(t, "Defer", h.Store.Defer(t.Context(), task.Due{Key: k, Wake: l.rec.Wake}, l.now), nil)
	if err := h.Store.Mark(t.Context(), k, 1, 2); !errors.Is(err, task.ErrNotFound) {
		t.Errorf("Mark: got %v, want ErrNotFound", err)
	}
	if got := rows(t, h.Store, k, ""); len(got) > 0 {
		t.Errorf("Journal: got %q, want nothing", got)
	}
	diff(t, "conversation", task.Transcript{}, transcript(t, h.Store, alice, "ctx", task.Latest))
}
