package local

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/queue"
)

// The limits of SQS, so that what works here works there.
const (
	maxDelay   = 15 * time.Minute
	maxVisible = 12 * time.Hour
)

// Options configure a [Queue]. The zero value is ready to use.
type Options struct {
	// MaxReceive is how often a message may be received before it is a dead letter. Default 20.
	MaxReceive int
	// Now is the clock. Default [time.Now]. Waiting is by timers of package time.
	Now func() time.Time
}

// Queue is a [queue.Queue] within this process. It starts no goroutines and needs no closing.
type Queue struct {
	now     func() time.Time
	changes changes

	mu    sync.Mutex
	state state
	woken chan struct{} // closed when something may be visible sooner than was known
}

var _ queue.Queue = (*Queue)(nil)

// changes keeps a queue's changes for the next process.
type changes interface {
	save(ctx context.Context, messages ...*message) error
	remove(ctx context.Context, id string) error
}

// forgetful is the changes of a queue in memory.
type forgetful struct{}

func (forgetful) save(context.Context, ...*message) error { return nil }
func (forgetful) remove(context.Context, string) error    { return nil }

// New makes an empty queue that ends with the process.
func New(o Options) *Queue {
	if o.MaxReceive <= 0 {
		o.MaxReceive = 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Queue{now: o.Now, changes: forgetful{}, state: newState(o.MaxReceive), woken: make(chan struct{})}
}

// Open makes a queue that keeps its messages in an SQLite database, in a table of its own, and
// continues with those it finds: what was in flight stays invisible for as long as it would have
// been. The database is the caller's to close. At most one Queue may be open on it.
func Open(db *sql.DB, o Options) (*Queue, error) {
	q := New(o)
	t := table{db}
	messages, err := t.load(context.Background())
	if err != nil {
		return nil, err
	}
	q.changes = t
	for _, m := range messages {
		q.state.add(m)
	}
	return q, nil
}

// Send implements [queue.Sender]. A delay that is negative or above 15 minutes is an error.
func (q *Queue) Send(ctx context.Context, p queue.Poke, delay time.Duration) error {
	delay, err := seconds("delay", delay, maxDelay)
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.add(ctx, &message{id: rand.Text(), poke: p, visible: q.now().Add(delay)})
}

func (q *Queue) add(ctx context.Context, m *message) error {
	if err := q.changes.save(ctx, m); err != nil {
		return err
	}
	q.state.add(m)
	q.wake()
	return nil
}

// Receive implements [queue.Queue]. It is an error to ask for less than one message, or for a
// visibility that is negative or above 12 hours.
func (q *Queue) Receive(ctx context.Context, max int, visible time.Duration) ([]queue.Delivery, error) {
	if max < 1 {
		return nil, fmt.Errorf("queue: cannot receive %d messages", max)
	}
	visible, err := seconds("visibility", visible, maxVisible)
	if err != nil {
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		got, next, woken, err := q.take(ctx, max, visible)
		if err != nil || len(got) > 0 {
			return got, err
		}
		q.wait(ctx, next, woken)
	}
}

// take receives what is visible, and says what to wait for when nothing is. Messages whose
// receive could not be written stay hidden, as if the answer to it had been lost.
func (q *Queue) take(ctx context.Context, max int, visible time.Duration) (got []queue.Delivery, next time.Time, woken <-chan struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	taken := q.state.take(now, max, now.Add(visible))
	if len(taken) == 0 {
		return nil, q.state.next(), q.woken, nil
	}
	// Once taken, the write is worth finishing.
	if err := q.changes.save(context.WithoutCancel(ctx), taken...); err != nil {
		return nil, time.Time{}, nil, err
	}
	for _, m := range taken {
		got = append(got, m.delivery())
	}
	return got, time.Time{}, nil, nil
}

// wait returns when ctx ended, at next, or when woken.
func (q *Queue) wait(ctx context.Context, next time.Time, woken <-chan struct{}) {
	var due <-chan time.Time
	if !next.IsZero() {
		t := time.NewTimer(next.Sub(q.now()))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-ctx.Done():
	case <-woken:
	case <-due:
	}
}

// wake lets all that wait look again. q.mu is held.
func (q *Queue) wake() {
	close(q.woken)
	q.woken = make(chan struct{})
}

// Extend implements [queue.Extender]. A receipt is good until the message is received again,
// deleted or a dead letter, so that a holder who is late can take it back. A visibility of 0 gives
// the message back at once; one that is negative or above 12 hours is an error.
func (q *Queue) Extend(ctx context.Context, receipt string, visible time.Duration) error {
	visible, err := seconds("visibility", visible, maxVisible)
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	m, ok := q.state.held(now, receipt)
	if !ok {
		return queue.ErrGone
	}
	extended := *m
	extended.visible = now.Add(visible)
	if err := q.changes.save(ctx, &extended); err != nil {
		return err
	}
	q.state.hide(m, extended.visible)
	q.wake()
	return nil
}

// Delete implements [queue.Queue]. A receipt that is not the message's latest deletes nothing.
func (q *Queue) Delete(ctx context.Context, receipt string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	m, ok := q.state.held(q.now(), receipt)
	if !ok {
		return nil
	}
	if err := q.changes.remove(ctx, m.id); err != nil {
		return err
	}
	q.state.remove(m)
	return nil
}

// seconds is d in whole seconds, rounded up.
func seconds(what string, d, limit time.Duration) (time.Duration, error) {
	if d < 0 || d > limit {
		return 0, fmt.Errorf("queue: a %s of %v is not between 0 and %v", what, d, limit)
	}
	return (d + time.Second - 1).Truncate(time.Second), nil
}
