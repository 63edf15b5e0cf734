package dynamodb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// The expressions of a claim do what the pure rule does, whatever the task is like and whenever it
// is claimed, to the record that is returned and to the one that is stored (STORE-07, R-34).
func TestClaimIsTheRule(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	tasks := map[string]func(*story){
		"submitted":       func(*story) {},
		"that owes":       func(s *story) { s.commit(task.StartPushes(s.rec, s.write())) },
		"working":         func(s *story) { s.claim() },
		"after a step":    func(s *story) { s.claim().step(task.Step{Events: []task.Event{said(10)}}) },
		"claimed twice":   func(s *story) { s.claim().claim() },
		"full":            func(s *story) { s.claim().step(task.Step{Events: []task.Event{said(1500)}}) },
		"let go":          func(s *story) { s.claim().commit(must(task.Yield(s.rec, task.Step{}, s.write()))) },
		"paused":          func(s *story) { s.claim().pause() },
		"answered":        func(s *story) { s.claim().pause().answer() },
		"failed":          func(s *story) { s.claim().fail() },
		"canceled early":  func(s *story) { s.commit(must(task.Cancel(s.rec, s.write()))) },
		"canceled midway": func(s *story) { s.claim().commit(must(task.Cancel(s.rec, s.write()))) },
	}
	for name, lead := range tasks {
		for _, after := range []time.Duration{
			-time.Hour, 0, task.ClaimMargin, task.ClaimMargin + time.Nanosecond, task.ClaimMargin + time.Millisecond, time.Hour,
		} {
			for _, hint := range []a2a.TaskState{a2a.TaskStateSubmitted, a2a.TaskStateWorking} {
				s := created(t, b.store, fmt.Sprint(name, after, hint))
				if lead(s); s.rec.Lease != nil {
					s.now = s.rec.Lease.Until.Add(after)
				}
				now := s.now
				c := task.Claiming{Now: now, Lease: task.Lease{
					ID: task.NewID(), Replica: "r2", Until: now.Truncate(time.Millisecond).Add(lease),
				}}
				s.compareClaim(name+", "+after.String()+" after the lease", c, hint)
			}
		}
	}
}

// compareClaim claims the task, and compares what comes of it with the rule.
func (s *story) compareClaim(what string, c task.Claiming, hint a2a.TaskState) {
	s.t.Helper()
	got, err := s.s.Claim(s.t.Context(), s.rec.Key, c, hint)
	want := task.Claim(s.rec, c)
	if want == nil {
		refused(s.t, what, err, s.rec)
		s.check()
		return
	}
	if err != nil {
		s.t.Errorf("%s: got %v, want it claimed", what, err)
		return
	}
	diff(s.t, what, want.Apply(s.rec), got)
	s.rec, s.events = got, append(s.events, want.Events...)
	s.check()
}

// A claim of a task that isn't there is refused by nothing.
func TestClaimOfNothing(t *testing.T) {
	t.Parallel()
	s := accepted(t, newBench(t).store, "t1", "Do it.")
	_, err := s.s.Claim(t.Context(), s.rec.Key, s.claiming(), a2a.TaskStateSubmitted)
	refused(t, "claim", err, nil)
}

func must(c *task.Change, err error) *task.Change {
	if err != nil {
		panic(err)
	}
	return c
}

func (s *story) pause() *story {
	s.t.Helper()
	ask := []interaction.Interaction{interaction.NewQuestion("q1", "Which one?")}
	return s.commit(must(task.Pause(s.rec, ask, task.Step{}, s.write())))
}

func (s *story) answer() *story {
	s.t.Helper()
	return s.commit(must(task.Answer(s.rec, task.Answering{Message: message("m-answer", "The blue one.")}, s.write())))
}

func (s *story) fail() *story {
	s.t.Helper()
	return s.commit(must(task.Finish(s.rec, task.Ending{State: a2a.TaskStateFailed}, task.Step{}, nil, s.write())))
}
