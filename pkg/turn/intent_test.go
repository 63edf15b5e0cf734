package turn

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// calling is an agent that plans one approved call of a class and then does what calls says.
func calling(class task.EffectClass, calls func(ctx context.Context, r agent.Run, id string) error) fake {
	return fake{start: func(ctx context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
		id := r.EffectID(0, 0)
		e := task.Effect{ID: id, Class: class, State: task.EffectApproved}
		if err := r.Step(ctx, task.Step{Plan: []task.Effect{e}}); err != nil {
			return nil, err
		}
		return agent.Completed{}, calls(ctx, r, id)
	}}
}

// Protocol rule 4: of several that want to let one call go out, one may.
func TestIntentIsOneCalls(t *testing.T) {
	t.Parallel()
	for range 50 {
		var may atomic.Int32
		b := newBench(t, calling(task.ClassWrite, func(ctx context.Context, r agent.Run, id string) error {
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					if _, done, err := r.Intent(ctx, id); err == nil {
						may.Add(1)
						done()
					}
				})
			}
			wg.Wait()
			return nil
		}))
		b.handle(b.accept("x"), true)
		if n := may.Load(); n != 1 {
			t.Fatalf("%d calls may go out, want 1", n)
		}
	}
}

// what surely did nothing, and was released, may be made again, under an intent of its own.
func TestIntentAfterRelease(t *testing.T) {
	t.Parallel()
	b := newBench(t, calling(task.ClassWrite, func(ctx context.Context, r agent.Run, id string) error {
		for range 3 {
			_, done, err := r.Intent(ctx, id)
			if err != nil {
				return err
			}
			done()
			if err := r.Step(ctx, task.Step{Release: []string{id}}); err != nil {
				return err
			}
		}
		return nil
	}))
	d := b.accept("x")
	b.handle(d, true)
	b.want(d, a2a.TaskStateCompleted)
}

// A call that only reads needs no write before it, and none that is not approved goes out.
func TestIntentOfARead(t *testing.T) {
	t.Parallel()
	b := newBench(t, calling(task.ClassRead, func(ctx context.Context, r agent.Run, id string) error {
		for range 2 {
			ctx, done, err := r.Intent(ctx, id)
			if err != nil {
				return err
			}
			if ctx.Err() != nil {
				return errors.New("the call has no time")
			}
			done()
		}
		if e, _ := r.Effect(id); e.State != task.EffectApproved {
			t.Errorf("state %s, want it still approved", e.State)
		}
		if _, _, err := r.Intent(ctx, "eff_of_nobody"); err == nil {
			t.Error("a call that was never planned may go out")
		}
		return nil
	}))
	d := b.accept("x")
	b.handle(d, true)
	b.want(d, a2a.TaskStateCompleted)
	if r, _ := b.read(d); r.Revision != 4 { // create, claim, plan, end
		t.Errorf("revision %d, want no write for reading", r.Revision)
	}
}
