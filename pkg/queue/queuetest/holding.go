package queuetest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/queue"
)

// testVisibility holds that what a crashed holder does not delete comes back.
func testVisibility(t *testing.T, h Harness) {
	p := poke("acme", "t1.a")
	h.send(t, 0, p)
	first := h.receiveOne(t, 3*time.Second, p, 1)
	h.nothing(t)
	h.Advance(3 * time.Second)
	second := h.receiveOne(t, long, p, 2)
	if first.Receipt == second.Receipt {
		t.Errorf("both receives have the receipt %q", first.Receipt)
	}
	h.nothing(t)
}

func testExtendLonger(t *testing.T, h Harness) {
	p := poke("acme", "t1.a")
	h.send(t, 0, p)
	d := h.receiveOne(t, 2*time.Second, p, 1)
	h.extend(t, d, 5*time.Second)
	h.Advance(3 * time.Second)
	h.nothing(t)
	h.Advance(2 * time.Second)
	h.receiveOne(t, long, p, 2)
}

func testExtendShorter(t *testing.T, h Harness) {
	p := poke("acme", "t1.a")
	h.send(t, 0, p)
	h.extend(t, h.receiveOne(t, long, p, 1), 2*time.Second)
	h.Advance(3 * time.Second)
	h.extend(t, h.receiveOne(t, long, p, 2), 0)
	h.receiveOne(t, long, p, 3)
}

func testExtendGone(t *testing.T, h Harness) {
	p := poke("acme", "t1.a")
	h.send(t, 0, p)
	old := h.receiveOne(t, time.Second, p, 1)
	h.Advance(2 * time.Second)
	latest := h.receiveOne(t, long, p, 2)
	h.wantGone(t, "an old receipt", old.Receipt)
	h.nothing(t) // the latest holder still has it

	h.remove(t, latest)
	h.wantGone(t, "a deleted message", latest.Receipt)
	h.wantGone(t, "a receipt nobody gave", "no such receipt")
	h.wantGone(t, "an empty receipt", "")
}

func (h Harness) wantGone(t *testing.T, what, receipt string) {
	t.Helper()
	if err := h.Queue.Extend(t.Context(), receipt, 0); !errors.Is(err, queue.ErrGone) {
		t.Errorf("Extend of %s: got %v, want %v", what, err, queue.ErrGone)
	}
}

func testDelete(t *testing.T, h Harness) {
	p := poke("acme", "t1.a")
	h.send(t, 0, p)
	d := h.receiveOne(t, time.Second, p, 1)
	h.remove(t, d)
	h.Advance(2 * time.Second)
	h.nothing(t)
	h.remove(t, d) // no error

	// Of two messages, the one deleted is the one meant.
	h.send(t, 0, poke("acme", "t1.b"), poke("acme", "t1.c"))
	kept, deleted := h.receive(t, 1, 2*time.Second)[0], h.receive(t, 1, 2*time.Second)[0]
	h.remove(t, deleted)
	h.Advance(3 * time.Second)
	h.receiveOne(t, long, kept.Poke, 2)
	h.nothing(t)
}

func testDeadLetters(t *testing.T, h Harness) {
	poison, slow := poke("acme", "t1.poison"), poke("acme", "t1.slow")
	h.send(t, 0, poison)
	for n := range h.MaxReceive {
		h.extend(t, h.receiveOne(t, long, poison, n+1), 0)
	}
	h.nothing(t)

	h.send(t, 0, slow) // done at the last attempt is done
	for n := range h.MaxReceive {
		d := h.receiveOne(t, long, slow, n+1)
		if n+1 == h.MaxReceive {
			h.remove(t, d)
		} else {
			h.extend(t, d, 0)
		}
	}
	h.nothing(t)
	if diff := cmp.Diff([]queue.Poke{poison}, h.DeadLetters(t)); diff != "" {
		t.Errorf("dead letters (-want +got):\n%s", diff)
	}
}

func testRestart(t *testing.T, h Harness) {
	if h.Restart == nil {
		t.Skip("the queue ends with its process")
	}
	held, waiting, delayed, deleted := poke("acme", "t1.held"), poke("acme", "t1.waiting"), poke("acme", "t1.delayed"), poke("acme", "t1.deleted")
	h.send(t, 0, deleted)
	h.remove(t, h.receiveOne(t, long, deleted, 1))
	h.send(t, 0, held)
	h.extend(t, h.receiveOne(t, long, held, 1), 4*time.Second)
	h.send(t, 0, waiting)
	h.send(t, 15*time.Minute, delayed)

	h.Queue = h.Restart(t)
	h.receiveOne(t, long, waiting, 1)
	h.nothing(t)
	h.Advance(4 * time.Second)
	h.receiveOne(t, long, held, 2)
	h.nothing(t)
}
