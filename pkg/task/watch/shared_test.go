package watch_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/task/watch"
)

// slow is a store that takes a second to read, and counts.
type slow struct {
	task.Store
	reads, heard atomic.Int64
	err          error
	panics       bool
}

func (s *slow) Read(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error) {
	if s.reads.Add(1); s.panics {
		panic("the table fell over")
	}
	r, events, err := s.Store.Read(ctx, k, after)
	time.Sleep(time.Second)
	return r, events, errors.Join(err, s.err)
}

func (s *slow) Said(ctx context.Context, k task.Key, after task.TextMark) ([]task.Text, error) {
	s.heard.Add(1)
	time.Sleep(time.Second)
	return s.Store.Said(ctx, k, after)
}

func newSlow(t *testing.T) (*slow, *watch.Store, task.Key) {
	t.Helper()
	inner := &slow{Store: memory.New(memory.Options{})}
	s := watch.New(inner)
	r, first := accepted("ann")
	if err := s.Create(t.Context(), r, first); err != nil {
		t.Fatal(err)
	}
	return inner, s, r.Key
}

// SRV-11: however many look, a query or two do.
func TestLooksAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner, s, k := newSlow(t)
		var wg sync.WaitGroup
		for range 1000 {
			wg.Go(func() {
				if r, events, err := s.Look(t.Context(), k, 0); err != nil || r.ID != k.ID || len(events) == 0 {
					t.Errorf("Look: %+v, %v, %v", r, events, err)
				}
			})
			wg.Go(func() {
				if _, err := s.Listen(t.Context(), k, task.TextMark{}); err != nil {
					t.Errorf("Listen: %v", err)
				}
			})
		}
		wg.Wait()
		if reads, heard := inner.reads.Load(), inner.heard.Load(); reads > 2 || heard > 2 {
			t.Errorf("%d reads and %d of text, want 2 at most of each", reads, heard)
		}
		if _, _, err := s.Look(t.Context(), k, 0); err != nil || inner.reads.Load() > 3 {
			t.Errorf("another: %v after %d reads", err, inner.reads.Load())
		}
		if _, _, err := s.Look(t.Context(), task.Key{ID: "t1.other"}, 0); !errors.Is(err, task.ErrNotFound) {
			t.Errorf("of another task: %v, want %v", err, task.ErrNotFound)
		}
	})
}

// A look that began after a write has it, though another began before.
func TestALookIsFresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, s, k := newSlow(t)
		early := make(chan *task.Record)
		go func() {
			r, _, _ := s.Look(t.Context(), k, 0)
			early <- r
		}()
		synctest.Wait() // it reads
		claiming := task.Claiming{Lease: task.Lease{ID: "l", Until: start.Add(time.Minute)}, Now: start}
		claimed, err := s.Claim(t.Context(), k, claiming, a2a.TaskStateSubmitted)
		if err != nil {
			t.Fatal(err)
		}
		late, _, err := s.Look(t.Context(), k, 0)
		if err != nil || late.Revision != claimed.Revision {
			t.Errorf("got %+v, %v, want revision %d", late, err, claimed.Revision)
		}
		if r := <-early; r.Revision >= claimed.Revision {
			t.Errorf("the early look has revision %d: it did not come before", r.Revision)
		}
	})
}

// Who goes away leaves the look to the others; what fails fails for all.
func TestALookOfOneWhoLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner, s, k := newSlow(t)
		ctx, cancel := context.WithCancel(t.Context())
		left, stayed := make(chan error, 1), make(chan error, 1)
		go func() { _, _, err := s.Look(ctx, k, 0); left <- err }()
		synctest.Wait()
		go func() { _, _, err := s.Look(t.Context(), k, 0); stayed <- err }()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("the one that left: %v", err)
		}
		if err := <-stayed; err != nil {
			t.Errorf("the one that stayed: %v", err)
		}
		inner.err = errors.New("away")
		if _, _, err := s.Look(t.Context(), k, 0); !errors.Is(err, inner.err) {
			t.Errorf("got %v, want %v", err, inner.err)
		}
	})
}

// A read that panics fails for those who wait for it, and the next is made.
func TestLookSurvivesAPanic(t *testing.T) {
	t.Parallel()
	inner, s, k := newSlow(t)
	inner.panics = true
	if _, _, err := s.Look(t.Context(), k, 0); err == nil {
		t.Error("got no error")
	}
	inner.panics = false
	if r, _, err := s.Look(t.Context(), k, 0); err != nil || r.ID != k.ID {
		t.Errorf("afterwards: %+v, %v", r, err)
	}
}
