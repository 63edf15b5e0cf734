package memory

import (
	"context"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Say implements [task.Store].
func (s *Store) Say(_ context.Context, k task.Key, t task.Text) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.tasks[k]
	if e == nil {
		return task.ErrNotFound
	}
	if n := len(e.said); n > 0 {
		switch last := e.said[n-1]; {
		case t.Fence > last.Fence || t.Fence == last.Fence && t.Attempt > last.Attempt:
			e.said = nil // what is written anew is not shown any more
		case t.Compare(last.TextMark) <= 0:
			return nil
		}
	}
	e.said = append(e.said, t)
	return nil
}

// Said implements [task.Store].
func (s *Store) Said(_ context.Context, k task.Key, after task.TextMark) ([]task.Text, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []task.Text
	if e := s.tasks[k]; e != nil {
		for _, t := range e.said {
			if t.Fence == after.Fence && t.Compare(after) > 0 {
				out = append(out, t)
			}
		}
	}
	return out, nil
}
