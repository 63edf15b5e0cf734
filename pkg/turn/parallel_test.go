package turn

import (
	"context"
	"sync"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Protocol rule 2: steps of several goroutines queue, the first ones of a run too, which pin the
// conversation. The race detector is the judge.
func TestStepsOfSeveralGoroutinesQueue(t *testing.T) {
	t.Parallel()
	const steps = 8
	a := fake{start: func(ctx context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
		var wg sync.WaitGroup
		for i := range steps {
			wg.Go(func() {
				row := task.Row{Name: string(rune('a' + i)), Value: []byte("1")}
				if err := r.Step(ctx, task.Step{Rows: []task.Row{row}}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return agent.Completed{}, nil
	}}
	b := newBench(t, a)
	d := b.accept("x")
	b.handle(d, true)
	b.want(d, a2a.TaskStateCompleted)
	got := 0
	for _, err := range b.store.Journal(t.Context(), d.Poke.Key, task.AgentRows) {
		if err != nil {
			t.Fatal(err)
		}
		got++
	}
	if got != steps {
		t.Errorf("rows: got %d, want %d", got, steps)
	}
}

// An outcome of a type the worker doesn't know, such as a pointer to one it does, fails the task
// and doesn't take the worker down.
func TestUnknownOutcomeFailsTheTask(t *testing.T) {
	t.Parallel()
	for name, out := range map[string]agent.Outcome{
		"pointer":     &agent.Completed{},
		"nil pointer": (*agent.Completed)(nil),
		"embedded":    struct{ agent.Outcome }{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, outcome(out, nil))
			d := b.accept("x")
			b.handle(d, true)
			b.want(d, a2a.TaskStateFailed)
		})
	}
}
