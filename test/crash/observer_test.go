package crash

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// lock is a mutex that a goroutine may wait for while virtual time goes on.
type lock chan struct{}

func (l lock) Lock()   { l <- struct{}{} }
func (l lock) Unlock() { <-l }

// observer sits between all processes and the store, and holds what every single write must keep.
type observer struct {
	task.Store
	mu     lock // also keeps SQLite from waiting for itself, which it does in virtual time
	last   map[task.Key]*task.Record
	moved  int // completions that met another one's turn in the conversation
	faults []string
}

func (o *observer) fault(format string, args ...any) {
	o.faults = append(o.faults, fmt.Sprintf(format, args...))
}

// records are the tasks as the last writes left them: looking at them is no call, and costs nothing.
func (o *observer) records() map[task.Key]*task.Record {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.last)
}

// effect is what is known of a call of any task.
func (o *observer) effect(id string) (e task.Effect) {
	for _, r := range o.records() {
		if e, ok := r.Effects[id]; ok {
			return e
		}
	}
	return e
}

// follows are the states that may come after one.
var follows = map[a2a.TaskState][]a2a.TaskState{
	a2a.TaskStateSubmitted:     {a2a.TaskStateWorking, a2a.TaskStateCanceled},
	a2a.TaskStateWorking:       {a2a.TaskStateInputRequired, a2a.TaskStateAuthRequired, a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateCanceled},
	a2a.TaskStateInputRequired: {a2a.TaskStateWorking, a2a.TaskStateCanceled},
	a2a.TaskStateAuthRequired:  {a2a.TaskStateWorking, a2a.TaskStateCanceled},
}

// saw holds a write's record against the one before.
func (o *observer) saw(r *task.Record) {
	before := o.last[r.Key]
	o.last[r.Key] = r
	switch {
	case before == nil:
	case r.Revision != before.Revision+1:
		o.fault("revision %d followed %d", r.Revision, before.Revision)
	case r.Fence < before.Fence:
		o.fault("fence fell from %d to %d", before.Fence, r.Fence)
	case r.Events < before.Events:
		o.fault("events fell from %d to %d", before.Events, r.Events)
	case before.Status.State.Terminal():
		o.fault("a write followed %s", before.Status.State)
	case r.Status.State != before.Status.State && !slices.Contains(follows[before.Status.State], r.Status.State):
		o.fault("%s followed %s", r.Status.State, before.Status.State)
	}
	for id, seen := range r.Seen {
		if before != nil && before.Seen[id] != seen && (len(before.Pending) == 0 || before.Pending[0].ID != seen.Interaction) {
			o.fault("%s was taken while %v was open", id, before.Pending)
		}
	}
	if r.Status.State.Interrupted() && (r.Lease != nil || len(r.Pending) == 0) {
		o.fault("paused with lease %v and %d pending", r.Lease, len(r.Pending))
	}
	if (r.Live() || !r.Expires.IsZero()) == r.Wake.IsZero() {
		o.fault("%s with wake %v", r.Status.State, r.Wake)
	}
}

func (o *observer) Create(ctx context.Context, r *task.Record, first []task.Event) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	settled, err := onTheWire(ctx)
	if err != nil {
		return err
	}
	err = o.Store.Create(settled, r, first)
	if err == nil {
		o.saw(r)
	}
	return err
}

func (o *observer) Claim(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	settled, err := onTheWire(ctx)
	if err != nil {
		return nil, err
	}
	r, err := o.Store.Claim(settled, k, c, hint)
	o.wrote(k, r, err)
	return r, err
}

func (o *observer) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	settled, err := onTheWire(ctx)
	if err != nil {
		return nil, err
	}
	r, err := o.Store.Commit(settled, k, c)
	o.wrote(k, r, err)
	return r, err
}

// onTheWire is the context of a write that has begun: it takes effect, or not, whether or not its
// process lives to hear of it.
func onTheWire(ctx context.Context) (context.Context, error) {
	return context.WithoutCancel(ctx), ctx.Err()
}

// wrote takes a write up. One that is refused by its own effect, because the network lost the
// answer to the client's first try, took place all the same.
func (o *observer) wrote(k task.Key, r *task.Record, err error) {
	var refused *task.Refused
	var moved *task.ConversationMoved
	last := o.last[k]
	switch {
	case err == nil:
		o.saw(r)
	case errors.As(err, &refused) && refused.Current != nil && last != nil && refused.Current.Revision == last.Revision+1:
		o.saw(refused.Current)
	case errors.As(err, &moved):
		o.moved++
	}
}

func (o *observer) Renew(ctx context.Context, k task.Key, g task.Guard, until time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Store.Renew(ctx, k, g, until)
}

func (o *observer) Defer(ctx context.Context, d task.Due, wake time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Store.Defer(ctx, d, wake)
}

// sent counts the calls that really went out, and holds each start against the record.
type sent struct {
	mu     sync.Mutex
	count  map[string]int
	faults []string
}

func (s *sent) call(ctx context.Context, w *world, p *process, id string) error {
	if p.isDead() || ctx.Err() != nil {
		return errDead
	}
	e := w.observer.effect(id)
	s.mu.Lock()
	s.count[id]++
	if e.State != task.EffectSent && (e.Class != task.ClassRead || e.State != task.EffectApproved) {
		s.faults = append(s.faults, fmt.Sprintf("a call started while its effect was %q", e.State))
	}
	s.mu.Unlock()
	select { // a call takes a while: it is cut short when the lease ends
	case <-time.After(3 * time.Second):
	case <-ctx.Done():
		return ctx.Err()
	}
	if p.isDead() {
		return errDead
	}
	return nil
}
