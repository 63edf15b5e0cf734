package agenttest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// recorder is a run that keeps what is committed, over all slices of a task.
type recorder struct {
	rows     map[string][]byte
	events   []task.Event
	effects  map[string]task.Effect
	yielding chan struct{}
	writes   int   // commits so far
	lostAt   int   // the commit that the run is lost at; 0: never
	kept     bool  // that commit was kept, only its answer is lost
	unread   error // what the journal cannot be read for
}

var _ agent.Run = (*recorder)(nil)

var errLost = errors.New("the run has lost the task")

func newRecorder() *recorder {
	return &recorder{rows: map[string][]byte{}, effects: map[string]task.Effect{}, yielding: make(chan struct{})}
}

func (r *recorder) Task() agent.Info { return agent.Info{} }

func (r *recorder) EffectID(step, index int) string { return fmt.Sprintf("eff_%d_%d", step, index) }

func (r *recorder) Effect(id string) (task.Effect, bool) {
	e, ok := r.effects[id]
	return e, ok
}

func (r *recorder) Write(string) (say func(string), done func()) { return func(string) {}, func() {} }

func (r *recorder) Journal(_ context.Context, prefix string) iter.Seq2[task.Row, error] {
	return func(yield func(task.Row, error) bool) {
		if r.unread != nil {
			yield(task.Row{}, r.unread)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(r.rows)) {
			if strings.HasPrefix(name, prefix) && !yield(task.Row{Name: name, Value: r.rows[name]}, nil) {
				return
			}
		}
	}
}

func (r *recorder) Step(_ context.Context, s task.Step) error {
	return r.commit(func() error {
		for _, e := range s.Plan {
			if _, ok := r.effects[e.ID]; ok {
				return fmt.Errorf("effect %s was planned twice", e.ID)
			}
			r.effects[e.ID] = e
		}
		for _, id := range s.Settle {
			if e := r.effects[id]; e.State != task.EffectSent && e.State != task.EffectDenied {
				return fmt.Errorf("effect %s was settled in state %q", id, e.State)
			}
			delete(r.effects, id)
		}
		for _, row := range s.Rows {
			r.rows[row.Name] = row.Value
		}
		r.events = append(r.events, s.Events...)
		return nil
	})
}

func (r *recorder) Intent(ctx context.Context, id string) (context.Context, context.CancelFunc, error) {
	err := r.commit(func() error {
		if e := r.effects[id]; e.State != task.EffectApproved {
			return fmt.Errorf("effect %s was sent in state %q", id, e.State)
		}
		r.set(id, task.EffectSent)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	return ctx, cancel, nil
}

// commit applies one write, unless the run is lost at it.
func (r *recorder) commit(apply func() error) error {
	r.writes++
	lost := r.writes == r.lostAt
	if lost && !r.kept {
		return errLost
	}
	if err := apply(); err != nil {
		return err
	}
	if lost {
		return errLost
	}
	return nil
}

func (r *recorder) Yielding() <-chan struct{} { return r.yielding }

// set is what people and the rules do to an effect between slices.
func (r *recorder) set(id string, s task.EffectState) {
	e := r.effects[id]
	e.State = s
	r.effects[id] = e
}

// slice has a play one slice and commits what its outcome adds, as the worker does.
func (r *recorder) slice(ctx context.Context, a *Agent, script string, answers map[string]interaction.Answer) (agent.Outcome, error) {
	in := agent.Input{Message: message(a2a.Text(script))}
	var out agent.Outcome
	var err error
	if len(r.rows) == 0 && len(answers) == 0 {
		out, err = a.Start(ctx, r, in)
	} else {
		out, err = a.Resume(ctx, r, in, answers)
	}
	if err != nil {
		return nil, err
	}
	return out, r.Step(ctx, step(out))
}

// mustSlice is slice where nothing should go wrong.
func (r *recorder) mustSlice(t *testing.T, a *Agent, script string, answers map[string]interaction.Answer) agent.Outcome {
	t.Helper()
	out, err := r.slice(t.Context(), a, script, answers)
	if err != nil {
		t.Fatalf("a slice of %q: %v", script, err)
	}
	return out
}

func step(out agent.Outcome) task.Step {
	switch out := out.(type) {
	case agent.Completed:
		return out.Step
	case agent.Failed:
		return out.Step
	case agent.Rejected:
		return out.Step
	case agent.Paused:
		return out.Step
	case agent.More:
		return out.Step
	}
	return task.Step{}
}
