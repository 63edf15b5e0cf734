package bootstrap

import (
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// LEASE-03, LEASE-07, LEASE-08, R-58: a task whose message was lost is poked once its wake is due,
// and not before.
func TestRecover(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	recovery := b.start("recover", nil)
	tick := func() {
		t.Helper()
		if _, _, err := recovery.invoke(events.EventBridgeEvent{Source: "aws.events", DetailType: "Scheduled Event"}); err != nil {
			t.Fatalf("recover: %v", err)
		}
	}
	k := b.send("say done")
	lost := b.receive(t.Context())
	if lost == nil {
		t.Fatal("no message came for the task")
	}
	b.delete(lost)

	tick()
	if m := b.receive(t.Context()); m != nil {
		t.Fatalf("before the wake: got message %s, want none", *m.Body)
	}
	r := b.awaitState(k, a2a.TaskStateSubmitted)
	if err := b.store.Defer(t.Context(), task.Due{Key: k, Wake: r.Wake}, time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	tick()
	tick() // the wake has moved on: there is nothing to do
	poke := b.receive(t.Context())
	if poke == nil {
		t.Fatal("after the wake: got no message")
	}
	if m := b.receive(t.Context()); m != nil {
		t.Errorf("after the wake: got %s as well, want one message", *m.Body)
	}
	if done, err := b.start("turn", nil).deliver(poke); err != nil || !done {
		t.Errorf("the turn: got done %t, %v", done, err)
	}
	b.awaitState(k, a2a.TaskStateCompleted)
}
