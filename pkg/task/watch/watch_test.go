package watch_test

import (
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/task/storetest"
	"github.com/interlude-a2a/interlude/pkg/task/watch"
)

var start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(testing.TB) storetest.Harness {
		return storetest.Harness{Store: watch.New(memory.New(memory.Options{}))}
	})
}

func accepted(owner string) (*task.Record, []task.Event) {
	return task.Accept(task.Acceptance{
		Key:       task.Key{Scope: task.Scope{Owner: owner}, ID: "t1"},
		ContextID: "ctx",
		Message:   a2a.Message{MessageID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text("Do it.")}}},
		Born:      task.NewID(),
		At:        start,
	})
}

func signaled(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestWatchSignalsEveryWrite(t *testing.T) {
	t.Parallel()
	s := watch.New(memory.New(memory.Options{}))
	r, events := accepted("alice")
	first, stopFirst := s.Watch(r.Key)
	defer stopFirst()
	second, stopSecond := s.Watch(r.Key)
	defer stopSecond()
	other, stopOther := s.Watch(task.Key{Scope: task.Scope{Owner: "bob"}, ID: r.ID})
	defer stopOther()

	claiming := task.Claiming{Lease: task.Lease{ID: "l", Until: start.Add(time.Minute)}, Now: start}
	for _, write := range []struct {
		name string
		do   func() error
		want bool
	}{
		{"create", func() error { return s.Create(t.Context(), r, events) }, true},
		{"create refused", func() error { return s.Create(t.Context(), r, events) }, false},
		{"claim", func() (err error) {
			r, err = s.Claim(t.Context(), r.Key, claiming, r.Status.State)
			return err
		}, true},
		{"claim refused", func() error {
			_, err := s.Claim(t.Context(), r.Key, claiming, r.Status.State)
			return err
		}, false},
		{"commit", func() error { return cancel(t, s, r) }, true},
		{"commit refused", func() error { return cancel(t, s, r) }, false},
	} {
		if err := write.do(); (err == nil) != write.want {
			t.Fatalf("%s: got error %v", write.name, err)
		}
		if got := signaled(first); got != write.want {
			t.Errorf("%s: first watcher signaled: got %t, want %t", write.name, got, write.want)
		}
		if got := signaled(second); got != write.want {
			t.Errorf("%s: second watcher signaled: got %t, want %t", write.name, got, write.want)
		}
		if signaled(other) {
			t.Errorf("%s: another's task of the same id was signaled", write.name)
		}
	}
}

// cancel commits a cancel of the task as r has it.
func cancel(t *testing.T, s *watch.Store, r *task.Record) error {
	t.Helper()
	c, err := task.Cancel(r, task.Write{ID: task.NewID(), At: start})
	if err != nil {
		t.Fatalf("Cancel: %v", err)
	}
	_, err = s.Commit(t.Context(), r.Key, c)
	return err
}

func TestWatchNeverBlocksAndCoalesces(t *testing.T) {
	t.Parallel()
	s := watch.New(memory.New(memory.Options{}))
	r, events := accepted("alice")
	slow, stop := s.Watch(r.Key)
	defer stop()
	if err := s.Create(t.Context(), r, events); err != nil {
		t.Fatalf("Create: %v", err)
	}
	if err := cancel(t, s, r); err != nil {
		t.Fatalf("Commit: %v", err)
	}
	if !signaled(slow) || signaled(slow) {
		t.Error("two writes before a look: want one signal")
	}
}

func TestStopEndsOneWatcher(t *testing.T) {
	t.Parallel()
	s := watch.New(memory.New(memory.Options{}))
	r, events := accepted("alice")
	stopped, stop := s.Watch(r.Key)
	kept, stopKept := s.Watch(r.Key)
	defer stopKept()
	stop()
	stop()
	if err := s.Create(t.Context(), r, events); err != nil {
		t.Fatalf("Create: %v", err)
	}
	if signaled(stopped) {
		t.Error("a stopped watcher was signaled")
	}
	if !signaled(kept) {
		t.Error("the other watcher was not signaled")
	}
}
