package turn

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// ErrLost ends a run that another one, or its caller's cancel, took the task from.
var ErrLost = errors.New("turn: the run has lost its task")

type rows = iter.Seq2[task.Row, error]

// run is one claim's hold on a task. It implements [agent.Run].
type run struct {
	store    Store
	now      func() time.Time
	key      task.Key
	guard    task.Guard // fence and lease; its revision is that of the claim
	yielding chan struct{}
	lose     func() // ends the run's context

	writing chan struct{} // holds one token: one write at a time

	mu      sync.Mutex // guards what follows
	record  *task.Record
	version *uint64 // of the conversation, for the first write to pin; nil: pinned
	events  []task.Event
	until   time.Time
	called  map[string]bool // effects whose call this process has let go out

	attempts int // texts begun
}

var _ agent.Run = (*run)(nil)

func (r *run) renewed(until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.until = until
}

// callUntil is when calls of this run must have ended, as of now.
func (r *run) callUntil() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.until.Add(-task.CallMargin)
}

func (r *run) current() *task.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.record
}

// unpinned is the version of the conversation that the run's first write is to pin, until one has.
func (r *run) unpinned() *uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version
}

func (r *run) Task() agent.Info {
	c := r.current()
	return agent.Info{Key: c.Key, ContextID: c.ContextID, Principal: c.Run.Principal, OutputModes: c.Run.OutputModes}
}

func (r *run) EffectID(step, index int) string { return task.EffectID(r.current(), step, index) }

func (r *run) Effect(id string) (task.Effect, bool) {
	e, ok := r.current().Effects[id]
	return e, ok
}

func (r *run) Yielding() <-chan struct{} { return r.yielding }

func (r *run) Journal(ctx context.Context, prefix string) rows {
	return func(yield func(task.Row, error) bool) {
		for row, err := range r.store.Journal(ctx, r.key, task.AgentRows+prefix) {
			row.Name = strings.TrimPrefix(row.Name, task.AgentRows)
			if !yield(row, err) {
				return
			}
		}
	}
}

func (r *run) Step(ctx context.Context, s task.Step) error {
	s.Conversation = r.unpinned()
	return r.commit(ctx, func(rec *task.Record, w task.Write) (*task.Change, error) {
		return task.Advance(rec, s, w)
	}, func() { r.setCalled(false, s.Release...) })
}

func (r *run) Intent(ctx context.Context, effectID string) (context.Context, context.CancelFunc, error) {
	if e, _ := r.Effect(effectID); e.Class == task.ClassRead && (e.State == task.EffectApproved || e.State == task.EffectSent) {
		return r.guardCall(ctx) // made again, it does no harm: there is nothing to remember
	}
	err := r.commit(ctx, func(rec *task.Record, w task.Write) (*task.Change, error) {
		if e := rec.Effects[effectID]; e.State == task.EffectSent && e.Fence == rec.Fence && !r.hasCalled(effectID) {
			return nil, errApplied // our own intent, whose answer was lost
		}
		return task.Intent(rec, effectID, w)
	}, func() { r.setCalled(true, effectID) })
	if err != nil && !errors.Is(err, errApplied) {
		return nil, nil, err
	}
	return r.guardCall(ctx)
}

// setCalled says whether this process has let the calls of effects go out.
func (r *run) setCalled(called bool, effectIDs ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range effectIDs {
		r.called[id] = called
	}
}

func (r *run) hasCalled(effectID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.called[effectID]
}

// callContext is the context of a call. Its own Err looks at the clock, so that who asks it just before
// a call goes out sends none beyond the lease: a timer may not have noticed yet that time went by.
type callContext struct {
	context.Context
	lapsed func() bool // ends the context if it is time
}

func (c callContext) Err() error {
	c.lapsed()
	return c.Context.Err()
}

// guardCall makes the context of a call: it ends before the lease does, however often that is
// renewed (protocol rule 4). The wall clock decides: the monotonic one may stand still while the
// machine sleeps.
func (r *run) guardCall(ctx context.Context) (context.Context, context.CancelFunc, error) {
	left := r.callUntil().Sub(r.now())
	if left <= 0 {
		r.lose()
		return nil, nil, ErrLost
	}
	ctx, cancel := context.WithCancelCause(ctx)
	lapsed := func() bool {
		if r.now().Before(r.callUntil()) {
			return false
		}
		cancel(ErrLost)
		return true
	}
	done := make(chan struct{})
	go func() {
		t := time.NewTimer(left)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-t.C:
			}
			if lapsed() {
				return
			}
			t.Reset(r.callUntil().Sub(r.now()))
		}
	}()
	return callContext{ctx, lapsed}, sync.OnceFunc(func() { close(done); cancel(context.Canceled) }), nil
}
