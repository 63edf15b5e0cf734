package watch

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// readTime bounds a read that is made for several.
const readTime = 10 * time.Second

// Look is a Read that followers share: who comes while one is under way has the next, together with
// all others who came by then. A change so costs a query or two, however many follow the task in this
// process. Nobody may alter what it returns.
func (s *Store) Look(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error) {
	found, err := s.looks.read(ctx, position{k, after}, func(ctx context.Context) (found, error) {
		r, events, err := s.Read(ctx, k, after)
		return found{r, events}, err
	})
	return found.record, found.events, err
}

type position struct {
	key   task.Key
	after uint64
}

type found struct {
	record *task.Record
	events []task.Event
}

// Listen is Said, shared as Look is.
func (s *Store) Listen(ctx context.Context, k task.Key, after task.TextMark) ([]task.Text, error) {
	return s.listens.read(ctx, mark{k, after}, func(ctx context.Context) ([]task.Text, error) {
		return s.Said(ctx, k, after)
	})
}

type mark struct {
	key   task.Key
	after task.TextMark
}

// shared makes reads for several at once: of the same, one is under way and one waits for it.
type shared[K comparable, V any] struct {
	mu    sync.Mutex
	lines map[K]*line[V]
}

// line is the reads of the same.
type line[V any] struct {
	next *read[V] // begins when the one under way has ended; nil: nobody waits
}

type read[V any] struct {
	made  func(context.Context) (V, error)
	ended chan struct{}
	value V
	err   error
}

// read makes a read that begins after this call, or has what another's such read found.
func (s *shared[K, V]) read(ctx context.Context, k K, made func(context.Context) (V, error)) (v V, err error) {
	s.mu.Lock()
	l, underWay := s.lines[k]
	if !underWay {
		l = &line[V]{}
		s.lines[k] = l
	}
	r := l.next
	if r == nil {
		r = &read[V]{made: made, ended: make(chan struct{})}
		l.next = r
	}
	s.mu.Unlock()
	if !underWay {
		go s.make(context.WithoutCancel(ctx), k, l)
	}
	select {
	case <-r.ended:
		return r.value, r.err
	case <-ctx.Done():
		return v, ctx.Err()
	}
}

// make makes the reads of a line until nobody waits.
func (s *shared[K, V]) make(ctx context.Context, k K, l *line[V]) {
	for {
		s.mu.Lock()
		r := l.next
		l.next = nil
		if r == nil {
			delete(s.lines, k)
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		r.make(ctx)
	}
}

// make makes a read. One that panics fails for all who wait for it.
func (r *read[V]) make(ctx context.Context) {
	defer close(r.ended)
	defer func() {
		if p := recover(); p != nil {
			r.err = fmt.Errorf("watch: panic: %v\n%s", p, debug.Stack())
		}
	}()
	limited, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	r.value, r.err = r.made(limited)
}
