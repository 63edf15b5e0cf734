package turn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Defaults and bounds of [Options].
const (
	DefaultLease = 30 * time.Second
	MinLease     = 6 * time.Second
	DefaultSlice = 4*time.Minute + 30*time.Second

	// sliceReserve is what a slice leaves of its invocation for its last writes.
	sliceReserve = 10 * time.Second

	// visibleBeyond is how much longer than the lease a message stays invisible.
	visibleBeyond = 10 * time.Second
)

// Store is what the worker needs of a [task.Store].
type Store interface {
	Read(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error)
	Claim(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error)
	Renew(ctx context.Context, k task.Key, g task.Guard, until time.Time) error
	Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error)
	Mark(ctx context.Context, k task.Key, revision, pushed uint64) error
	Say(ctx context.Context, k task.Key, t task.Text) error
	Journal(ctx context.Context, k task.Key, prefix string) rows
	Conversation(ctx context.Context, s task.Scope, contextID string, version uint64) (task.Transcript, error)
}

// Queue is what the worker needs of a [queue.Queue].
type Queue interface {
	queue.Sender
	queue.Extender
}

// Options configure a [Worker]. Store, Queue and Agent are required.
type Options struct {
	Store Store
	Queue Queue
	Agent agent.Agent

	Replica string        // names this replica in leases, for people to read; default random (SRV-12)
	Lease   time.Duration // default 30 s, at least 6 s; renewed every third of it (LEASE-02)
	Slice   time.Duration // when the agent is asked to yield; default 4 min 30 s

	// Input makes a value of the message and the conversation before it for the agent (SRV-03);
	// nil: none. An error fails the task.
	Input func(message a2a.Message, history []a2a.Message) (any, error)

	// Pushes takes the statuses that a task owes to its webhooks; nil: there are none.
	Pushes Pushes

	// Retention is how long a finished task is kept, at least 24 h; zero: for good. It needs
	// Expire.
	Retention time.Duration
	Expire    Expirer

	Now func() time.Time // default time.Now
	Log *slog.Logger     // default slog.Default
}

// Worker runs slices. It is safe for concurrent use.
type Worker struct{ Options }

// New checks options and fills in defaults.
func New(o Options) (*Worker, error) {
	if o.Store == nil || o.Queue == nil || o.Agent == nil {
		return nil, errors.New("turn: a worker needs a store, a queue and an agent")
	}
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	if o.Lease < MinLease {
		return nil, fmt.Errorf("turn: a lease of %v is shorter than %v", o.Lease, MinLease)
	}
	if o.Retention != 0 && (o.Retention < MinRetention || o.Expire == nil) {
		return nil, fmt.Errorf("turn: a retention of %v is shorter than %v, or nothing expires tasks", o.Retention, MinRetention)
	}
	if o.Slice == 0 {
		o.Slice = DefaultSlice
	}
	if o.Replica == "" {
		o.Replica = task.NewID()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Worker{o}, nil
}

// Visible is how long a message stays invisible from a claim or a renewal on: a crash is taken
// over within that time, whatever the queue's own visibility.
func (w *Worker) Visible() time.Duration { return w.Lease + visibleBeyond }

// Handle works on the task that d names, for at most one slice. It reports whether d is done; if
// not, the message must be left in the queue, to come back when its visibility ends.
func (w *Worker) Handle(ctx context.Context, d queue.Delivery) (done bool) {
	r, met, err := w.claim(ctx, d)
	for wait := overtaken; err == nil && r == nil && met == nil && d.Attempt <= 1 && wait <= overtakenMax && waited(ctx, wait); wait *= 4 {
		r, met, err = w.claim(ctx, d)
	}
	switch {
	case err != nil:
		w.log(ctx, d, "could not claim", err)
		w.extend(context.WithoutCancel(ctx), d, retryClaim)
		return false
	case r != nil:
		return w.slice(ctx, d, r)
	case met == nil:
		return w.missing(ctx, d)
	case met.Live():
		w.extend(ctx, d, met.Lease.Until.Add(task.ClaimMargin).Sub(w.Now()))
		return false
	}
	switch expired, err := w.expire(ctx, met); {
	case err != nil:
		w.log(ctx, d, "could not expire an interaction", err)
		w.extend(context.WithoutCancel(ctx), d, retryClaim)
		return false
	case expired:
		d.Poke.Hint = a2a.TaskStateWorking
		return w.Handle(ctx, d)
	}
	return w.settle(ctx, d, met)
}

// claim takes the task. Without an error it returns the record as claimed, or as the claim met it.
func (w *Worker) claim(ctx context.Context, d queue.Delivery) (claimed, met *task.Record, err error) {
	id := task.NewID()
	for try := range task.Tries {
		now := w.Now()
		c := task.Claiming{Now: now, Lease: task.Lease{ID: id, Replica: w.Replica, Until: leaseEnd(now, w.Lease)}}
		r, err := w.Store.Claim(ctx, d.Poke.Key, c, d.Poke.Hint)
		var refused *task.Refused
		switch {
		case err == nil:
			return r, nil, nil
		case errors.As(err, &refused):
			met := refused.Current
			if met != nil && met.Lease != nil && met.Lease.ID == id {
				return met, nil, nil // the answer to the claim was lost
			}
			if met == nil || !met.Live() || met.Held(now) {
				return nil, met, nil
			}
			// The lease lapsed, or the task was answered, in between: claimable now.
		case !task.Backoff(ctx, try):
			return nil, nil, err
		}
	}
	return nil, nil, errors.New("turn: gave up claiming")
}

// retryClaim is when a message comes again whose task could not be claimed for a fault of the
// store: long before the queue's own visibility ends.
const retryClaim = 10 * time.Second

// overtaken is how soon a worker looks again for a task whose poke came before it: at first after
// 1 ms, then after 4, 16 and 64 ms, then when the message comes again.
const (
	overtaken    = time.Millisecond
	overtakenMax = 64 * time.Millisecond
)

// waited waits, and reports whether ctx goes on.
func waited(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// maxMissing is how often a poke is put back whose task is not there yet: create and poke go out
// side by side.
const maxMissing = 5

func (w *Worker) missing(ctx context.Context, d queue.Delivery) (done bool) {
	if d.Attempt > maxMissing {
		return true
	}
	w.extend(ctx, d, time.Second)
	return false
}

func (w *Worker) extend(ctx context.Context, d queue.Delivery, visible time.Duration) {
	err := w.Queue.Extend(ctx, d.Receipt, max(visible, time.Second))
	switch {
	case errors.Is(err, queue.ErrGone): // it has come again, to another worker
		w.Log.InfoContext(ctx, "turn: a message is another worker's now", "task", d.Poke.Key.ID, "replica", w.Replica)
	case err != nil:
		w.log(ctx, d, "could not set a message's visibility", err)
	}
}

func (w *Worker) poke(ctx context.Context, d queue.Delivery, r *task.Record) (sent bool) {
	err := w.Queue.Send(ctx, queue.Poke{Key: r.Key, Hint: r.Status.State}, 0)
	if err != nil {
		w.log(ctx, d, "could not poke", err)
	}
	return err == nil
}

func (w *Worker) log(ctx context.Context, d queue.Delivery, what string, err error) {
	w.Log.ErrorContext(ctx, "turn: "+what, "task", d.Poke.Key.ID, "replica", w.Replica, "error", err)
}

// leaseEnd is when a lease taken at now ends: on the wall clock, which all replicas share.
func leaseEnd(now time.Time, lease time.Duration) time.Time {
	return now.UTC().Truncate(time.Millisecond).Add(lease)
}
