// Package watch is for followers of a task within a process: it tells them that the task changed, so
// that they need not wait for their next look at the store, and lets them look together.
//
// A look is a read that began after all who share it asked: who was told of a change sees it. A
// follower that goes away leaves the look to the others.
package watch

import (
	"context"
	"slices"
	"sync"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Store is a [task.Store] whose tasks can be watched. It sees the writes that go through it; who
// follows a task must still look from time to time for those of other processes.
type Store struct {
	task.Store
	mu       sync.Mutex
	watchers map[task.Key][]chan struct{}
	looks    shared[position, found]
	listens  shared[mark, []task.Text]
}

// New returns s, watched.
func New(s task.Store) *Store {
	return &Store{
		Store: s, watchers: map[task.Key][]chan struct{}{},
		looks:   shared[position, found]{lines: map[position]*line[found]{}},
		listens: shared[mark, []task.Text]{lines: map[mark]*line[[]task.Text]{}},
	}
}

// Watch returns a channel that is sent to after every create, claim, commit and piece of text of
// a task through this store. Signals that nobody received yet are one. Stop ends it, may be called more than
// once, and must be called; the channel is never closed.
func (s *Store) Watch(k task.Key) (changed <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers[k] = append(s.watchers[k], c)
	return c, func() { s.stop(k, c) }
}

func (s *Store) stop(k task.Key, c chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(s.watchers[k], func(w chan struct{}) bool { return w == c })
	if s.watchers[k] = left; len(left) == 0 {
		delete(s.watchers, k)
	}
}

// signal tells the watchers of a task that it changed.
func (s *Store) signal(k task.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.watchers[k] {
		select {
		case c <- struct{}{}:
		default: // it has a signal to receive already
		}
	}
}

// Create implements [task.Store].
func (s *Store) Create(ctx context.Context, r *task.Record, first []task.Event) error {
	err := s.Store.Create(ctx, r, first)
	if err == nil {
		s.signal(r.Key)
	}
	return err
}

// Claim implements [task.Store].
func (s *Store) Claim(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error) {
	r, err := s.Store.Claim(ctx, k, c, hint)
	if err == nil {
		s.signal(k)
	}
	return r, err
}

// Commit implements [task.Store].
func (s *Store) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	r, err := s.Store.Commit(ctx, k, c)
	if err == nil {
		s.signal(k)
	}
	return r, err
}

// Say implements [task.Store].
func (s *Store) Say(ctx context.Context, k task.Key, t task.Text) error {
	err := s.Store.Say(ctx, k, t)
	if err == nil {
		s.signal(k)
	}
	return err
}
