package queuetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

func testSendReceive(t *testing.T, h Harness) {
	sent := []queue.Poke{poke("acme", "t1.a"), poke("acme", "t1.b"), poke("", "t1.c"), poke("acme", "t1.a")}
	h.send(t, 0, sent...)
	got, receipts := map[queue.Poke]int{}, map[string]bool{}
	for n := 0; n < len(sent); {
		for _, d := range h.receive(t, 3, long) {
			got[d.Poke]++
			receipts[d.Receipt] = true
			if d.Attempt != 1 {
				t.Errorf("Attempt: got %d, want 1", d.Attempt)
			}
			n++
		}
	}
	want := map[queue.Poke]int{sent[0]: 2, sent[1]: 1, sent[2]: 1} // equal pokes are two messages
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	if len(receipts) != len(sent) {
		t.Errorf("got %d different receipts, want %d", len(receipts), len(sent))
	}
	h.nothing(t)
}

func testReceiveWaits(t *testing.T, h Harness) {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	received := make(chan []queue.Delivery)
	go func() {
		ds, err := h.Queue.Receive(ctx, 1, long)
		if err != nil {
			t.Errorf("Receive: %v", err)
		}
		received <- ds
	}()
	h.Advance(time.Second)
	h.send(t, 0, poke("acme", "t1.a"))
	if ds := <-received; len(ds) != 1 || ds[0].Poke != poke("acme", "t1.a") {
		t.Errorf("received %+v, want the one message sent", ds)
	}
}

func testReceiveEnds(t *testing.T, h Harness) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := h.Queue.Receive(ctx, 1, time.Second)
		ended <- err
	}()
	h.Advance(time.Second)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Receive: got %v, want %v", err, context.Canceled)
	}
	h.send(t, 0, poke("acme", "t1.a"))
	if ds, err := h.Queue.Receive(ctx, 1, long); err == nil {
		t.Errorf("Receive after its context ended: got %+v, want an error", ds)
	}
	d := h.receive(t, 1, long)[0]
	if d.Poke != poke("acme", "t1.a") {
		t.Errorf("received %+v, want the one message sent", d.Poke)
	}
	if d.Attempt != 1 && !h.Abandons {
		t.Errorf("Attempt: got %d, want 1: the receive that ended took the message", d.Attempt)
	}
}

func testDelay(t *testing.T, h Harness) {
	for _, bad := range []time.Duration{-time.Second, 15*time.Minute + time.Second} {
		if err := h.Queue.Send(t.Context(), poke("acme", "t1.bad"), bad); err == nil {
			t.Errorf("Send(delay %v): got no error", bad)
		}
	}
	h.send(t, 15*time.Minute, poke("acme", "t1.most"))
	h.send(t, 3*time.Second, poke("acme", "t1.late"))
	h.nothing(t)
	h.Advance(3 * time.Second)
	h.receiveOne(t, long, poke("acme", "t1.late"), 1)
	h.nothing(t)
}

// testOddKeys holds that a key arrives as it was sent, and that any owner makes a group.
func testOddKeys(t *testing.T, h Harness) {
	keys := []task.Key{
		{ID: "t1.nobody"},
		{Scope: task.Scope{Owner: "arn:aws:sts::123456789012:assumed-role/Role+=,.@-/session"}, ID: "t1.arn"},
		{Scope: task.Scope{Owner: `a"quote\back'slash`}, ID: "<&>"},
		{Scope: task.Scope{Owner: "line\u2028feed\u0085é漢字🦊"}, ID: "t1.é"},
		{Scope: task.Scope{Owner: " spaces "}, ID: "t1. spaces "},
		{Scope: task.Scope{Owner: "tab\tnewline\nnull\x00"}, ID: "t1.control"},
		{Scope: task.Scope{Tenant: strings.Repeat("t", 128), Owner: strings.Repeat("o", 2048)}, ID: strings.Repeat("i", 256)},
	}
	for _, k := range keys {
		want := queue.Poke{Key: k, Hint: a2a.TaskStateWorking}
		h.send(t, 0, want)
		h.remove(t, h.receiveOne(t, long, want, 1))
	}
	want := queue.Poke{Key: keys[0]} // no hint
	h.send(t, 0, want)
	h.receiveOne(t, long, want, 1)
}

func testFairGroups(t *testing.T, h Harness) {
	if !h.Fair {
		t.Skip("groups do not take strict turns here")
	}
	for range 1000 {
		h.send(t, 0, poke("busy", "t1.busy"))
	}
	h.send(t, 0, poke("quiet", "t1.quiet"), poke("other", "t1.other"), poke("other", "t1.other"))
	var got []string
	for range 6 {
		got = append(got, h.receive(t, 1, long)[0].Poke.Key.Tenant)
	}
	want := []string{"busy", "quiet", "other", "busy", "other", "busy"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	h.send(t, 0, poke("", "t1.untenanted")) // a new group waits for no more than a turn of each
	got = nil
	for _, d := range h.receive(t, 2, long) {
		got = append(got, d.Poke.Group())
	}
	if diff := cmp.Diff([]string{"busy", "ann"}, got); diff != "" {
		t.Errorf("turns of one receive (-want +got):\n%s", diff)
	}
}
