package dynamodb_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// A journal is read as of one moment, though rows move in and out of the header meanwhile: two that
// are always written together never differ.
func TestJournalWhileRowsMove(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := created(t, b.store, "t1").claim()
	k := s.rec.Key
	done := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				twins(t, b.store, k)
			}
		}
	})
	for n := range 60 {
		value := make([]byte, []int{1, dynamodb.MaxInline, 100}[n%3])
		value[0] = byte(n)
		step := task.Step{Rows: []task.Row{{Name: "a", Value: value}, {Name: "b", Value: value}}}
		if n%7 == 0 {
			step.Events = []task.Event{said(dynamodb.MaxTail)} // relieves the header
		}
		s.step(step)
	}
	close(done)
	reader.Wait()
	s.check()
}

// twins fails if the rows a and b differ.
func twins(t *testing.T, s task.Store, k task.Key) {
	found := map[string]string{}
	for r, err := range s.Journal(t.Context(), k, task.AgentRows) {
		if errors.Is(err, dynamodb.ErrMoved) {
			return // too often
		}
		if err != nil {
			t.Errorf("Journal: %v", err)
			return
		}
		found[r.Name] = string(r.Value)
	}
	if a, b := found["agent/a"], found["agent/b"]; a != b {
		t.Errorf("rows written together: got %d bytes of step %.1q and %d bytes of step %.1q", len(a), a, len(b), b)
	}
}
