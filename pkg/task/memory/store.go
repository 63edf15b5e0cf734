// Package memory keeps tasks in the process: for tests, for trying things out, and for agents
// whose tasks may end with their process. What waits for a person is lost with it.
package memory

import (
	"container/list"
	"sync"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// DefaultMaxTasks is how many tasks, and how many conversations, a store keeps unless told
// otherwise (SRV-07).
const DefaultMaxTasks = 10_000

// Options configure a [Store].
type Options struct {
	// MaxTasks bounds the tasks and, by itself, the conversations (STORE-10). Zero or less:
	// [DefaultMaxTasks].
	MaxTasks int
}

// Store is a [task.Store] in memory. Everything is held encoded, so that nothing a caller has in
// hand can change what is kept.
//
// At its bound it drops the finished task that was written least recently; where all are
// unfinished a create fails with [task.ErrFull]. Of conversations the one written least
// recently is dropped.
type Store struct {
	max int

	mu            sync.RWMutex
	tasks         map[task.Key]*entry
	listed        map[task.Scope]*order // by status time, then id
	due           order                 // by wake
	finished      list.List             // of *entry, least recently written first
	conversations map[contextKey]*conversation
	written       list.List // of *conversation, least recently written first
}

// New returns an empty store.
func New(o Options) *Store {
	if o.MaxTasks <= 0 {
		o.MaxTasks = DefaultMaxTasks
	}
	return &Store{
		max:           o.MaxTasks,
		tasks:         map[task.Key]*entry{},
		listed:        map[task.Scope]*order{},
		due:           order{compare: byWake},
		conversations: map[contextKey]*conversation{},
	}
}

// makeRoom drops the finished task written least recently if the store is at its bound.
func (s *Store) makeRoom() error {
	if len(s.tasks) < s.max {
		return nil
	}
	oldest := s.finished.Front()
	if oldest == nil {
		return task.ErrFull
	}
	e := oldest.Value.(*entry)
	s.unindex(e)
	delete(s.tasks, e.key)
	return nil
}

// put makes e's record r, in every index.
func (s *Store) put(e *entry, r *task.Record) error {
	encoded, err := encode(r)
	if err != nil {
		return err
	}
	s.unindex(e)
	e.record = encoded
	e.at, e.state, e.wake = r.Status.Timestamp, r.Status.State, r.Wake
	e.listed, e.done = !r.Bare, r.Status.State.Terminal() && !r.Owes()
	s.index(e)
	return nil
}

func (s *Store) index(e *entry) {
	if e.listed {
		of := s.listed[e.key.Scope]
		if of == nil {
			of = &order{compare: byStatus}
			s.listed[e.key.Scope] = of
		}
		of.add(e)
	}
	if !e.wake.IsZero() {
		s.due.add(e)
	}
	if e.done {
		e.element = s.finished.PushBack(e)
	}
}

func (s *Store) unindex(e *entry) {
	if of := s.listed[e.key.Scope]; of != nil {
		if of.remove(e); len(of.entries) == 0 {
			delete(s.listed, e.key.Scope)
		}
	}
	s.due.remove(e)
	if e.element != nil {
		s.finished.Remove(e.element)
		e.element = nil
	}
}
