package turn

import (
	"context"
	"errors"
	"time"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// rule makes one transition of the record as it stands. It is called again, with the same inputs,
// when a write under an older revision was refused.
type rule func(*task.Record, task.Write) (*task.Change, error)

// errApplied says that a rule found its transition made.
var errApplied = errors.New("turn: applied already")

// commit makes one transition (protocol rule 2). It outlives the end of ctx, so that what an
// agent did is not lost to a shutdown, but not the lease. done, if any, is called once the
// transition is made, before another may begin.
func (r *run) commit(ctx context.Context, rule rule, done func()) error {
	r.writing <- struct{}{}
	defer func() { <-r.writing }()
	err := r.commitAlone(ctx, rule)
	if done != nil && (err == nil || errors.Is(err, errApplied)) {
		done()
	}
	return err
}

func (r *run) commitAlone(ctx context.Context, rule rule) error {
	if errors.Is(context.Cause(ctx), ErrLost) {
		return ErrLost
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	w := task.Write{ID: task.NewID(), At: r.now()}
	change, err := rule(r.current(), w)
	for try := 0; err == nil; {
		var next *task.Record
		next, err = r.store.Commit(ctx, r.key, change)
		var refused *task.Refused
		var moved *task.ConversationMoved
		switch {
		case err == nil:
			r.wrote(next, change)
			return nil
		case errors.As(err, &refused):
			switch task.Resolve(change, refused.Current) {
			case task.Lost:
				r.lose()
				return ErrLost
			case task.Applied:
				r.wrote(refused.Current, change)
				return nil
			}
			r.wrote(refused.Current, nil)
			change, err = rule(refused.Current, w)
		case errors.As(err, &moved):
			change.Turn.Version, err = moved.Version, nil
		case r.now().Before(r.callUntil()) && task.Backoff(ctx, try):
			try++
			err = nil
		}
	}
	return err
}

// wrote takes over the record of a write; c is the change it made, nil for another's.
func (r *run) wrote(next *task.Record, c *task.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record = next
	if c == nil {
		return
	}
	r.events = append(r.events, c.Events...)
	r.version = nil
}

// lapse is how long the run's lease still keeps others away.
func (r *run) lapse() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.until.Add(task.ClaimMargin).Sub(r.now())
}
