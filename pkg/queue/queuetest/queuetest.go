// Package queuetest is the suite that every [queue.Queue] passes. It proves what the protocol
// relies on (rule 7): nothing sent is lost before it is deleted, what is held is held by one, what
// is not deleted comes back, what comes back too often is set aside for people.
package queuetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Harness is a queue under test. It is empty at first and nobody else uses it.
type Harness struct {
	Queue queue.Queue
	// MaxReceive is how often a message may be received before it is a dead letter. Small is fast.
	MaxReceive int
	// DeadLetters returns what became a dead letter.
	DeadLetters func(t *testing.T) []queue.Poke
	// Advance lets at least d pass on the queue's clock.
	Advance func(d time.Duration)
	// Restart ends the queue's process without warning and returns the queue of the next. Nil for
	// a queue that lives no longer than its process.
	Restart func(t *testing.T) queue.Queue
	// Fair says that groups take turns at once and strictly. SQS takes a while to notice.
	Fair bool
	// Abandons says that a receive whose context ended may still take a message, which comes back
	// when its visibility ends. A call to SQS that is cut off may.
	Abandons bool
}

// Run runs the suite. with calls test with a new harness, inside a bubble of testing/synctest if
// the queue's time is to be that of a bubble. Tests run in parallel; each counts in seconds and
// leaves a margin of one, so that a queue on real time passes too.
func Run(t *testing.T, with func(t *testing.T, test func(*testing.T, Harness))) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Harness)
	}{
		{"receives what was sent", testSendReceive},
		{"receive waits", testReceiveWaits},
		{"receive ends with its context", testReceiveEnds},
		{"delay", testDelay},
		{"visibility", testVisibility},
		{"extend longer", testExtendLonger},
		{"extend shorter", testExtendShorter},
		{"extend gone", testExtendGone},
		{"delete", testDelete},
		{"dead letters", testDeadLetters},
		{"fair groups", testFairGroups},
		{"odd keys", testOddKeys},
		{"concurrency", testConcurrency},
		{"restart", testRestart},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			with(t, test.run)
		})
	}
}

const (
	long    = 10 * time.Minute // a visibility that does not end during a test
	timeout = time.Minute      // for what must happen
)

func poke(tenant, id string) queue.Poke {
	return queue.Poke{
		Key:  task.Key{Scope: task.Scope{Tenant: tenant, Owner: "ann"}, ID: id},
		Hint: a2a.TaskStateSubmitted,
	}
}

func (h Harness) send(t *testing.T, delay time.Duration, pokes ...queue.Poke) {
	t.Helper()
	for _, p := range pokes {
		if err := h.Queue.Send(t.Context(), p, delay); err != nil {
			t.Fatalf("Send(%+v, %v): %v", p, delay, err)
		}
	}
}

// receive receives at least one message.
func (h Harness) receive(t *testing.T, max int, visible time.Duration) []queue.Delivery {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	ds, err := h.Queue.Receive(ctx, max, visible)
	if err != nil {
		t.Fatalf("Receive: %v", err)
	}
	if len(ds) < 1 || len(ds) > max {
		t.Fatalf("Receive(max %d): got %d messages", max, len(ds))
	}
	return ds
}

// receiveOne receives a message and checks which it is.
func (h Harness) receiveOne(t *testing.T, visible time.Duration, want queue.Poke, attempt int) queue.Delivery {
	t.Helper()
	d := h.receive(t, 1, visible)[0]
	if diff := cmp.Diff(want, d.Poke); diff != "" {
		t.Fatalf("received poke (-want +got):\n%s", diff)
	}
	if d.Attempt != attempt {
		t.Fatalf("Attempt: got %d, want %d", d.Attempt, attempt)
	}
	return d
}

// nothing checks that nothing becomes visible within a second.
func (h Harness) nothing(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	ds, err := h.Queue.Receive(ctx, 1, long)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Receive: got %+v, %v, want nothing until the deadline", ds, err)
	}
	if h.Abandons { // what it asked for may wait on for the rest of its last second
		h.Advance(time.Second)
	}
}

func (h Harness) extend(t *testing.T, d queue.Delivery, visible time.Duration) {
	t.Helper()
	if err := h.Queue.Extend(t.Context(), d.Receipt, visible); err != nil {
		t.Fatalf("Extend(%v): %v", visible, err)
	}
}

func (h Harness) remove(t *testing.T, d queue.Delivery) {
	t.Helper()
	if err := h.Queue.Delete(t.Context(), d.Receipt); err != nil {
		t.Fatalf("Delete: %v", err)
	}
}
