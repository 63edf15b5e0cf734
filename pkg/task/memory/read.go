package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Read implements [task.Store].
func (s *Store) Read(_ context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	e := s.tasks[k]
	if e == nil {
		return nil, nil, task.ErrNotFound
	}
	r, err := e.current()
	if err != nil {
		return nil, nil, err
	}
	events, err := e.after(after)
	if err != nil {
		return nil, nil, err
	}
	return r, events, nil
}

// List implements [task.Store].
func (s *Store) List(_ context.Context, scope task.Scope, q task.Query) (task.Page, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var page task.Page
	of := s.listed[scope]
	if of == nil {
		return page, nil
	}
	for _, e := range slices.Backward(of.until(q.From)) {
		if e.at.Before(q.After) {
			break
		}
		if !e.matches(q) {
			continue
		}
		if len(page.Tasks) == max(q.Limit, 1) {
			last := page.Tasks[len(page.Tasks)-1]
			page.Next = &task.Cursor{At: last.Status.Timestamp, ID: last.Key.ID}
			break
		}
		r, err := e.current()
		if err != nil {
			return task.Page{}, err
		}
		page.Tasks = append(page.Tasks, task.Listed{Key: e.key, ContextID: e.contextID, Status: r.Status})
	}
	return page, nil
}

// until is the entries that come, newest first, after c.
func (o *order) until(c task.Cursor) []*entry {
	if c.ID == "" {
		return o.entries
	}
	i, _ := slices.BinarySearchFunc(o.entries, c, func(e *entry, c task.Cursor) int {
		return cmp.Or(e.at.Compare(c.At), strings.Compare(e.key.ID, c.ID))
	})
	return o.entries[:i]
}

func (e *entry) matches(q task.Query) bool {
	return (q.ContextID == "" || q.ContextID == e.contextID) && (q.State == "" || q.State == e.state)
}

// Journal implements [task.Store].
func (s *Store) Journal(_ context.Context, k task.Key, prefix string) iter.Seq2[task.Row, error] {
	return func(yield func(task.Row, error) bool) {
		for _, row := range s.rows(k, prefix) {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// rows is a copy of the rows whose names begin with prefix, by name.
func (s *Store) rows(k task.Key, prefix string) []task.Row {
	s.mu.RLock()
	defer s.mu.RUnlock()
	e := s.tasks[k]
	if e == nil {
		return nil
	}
	var rows []task.Row
	for name, value := range e.rows {
		if strings.HasPrefix(name, prefix) {
			rows = append(rows, task.Row{Name: name, Value: bytes.Clone(value)})
		}
	}
	slices.SortFunc(rows, func(a, b task.Row) int { return strings.Compare(a.Name, b.Name) })
	return rows
}

// Conversation implements [task.Store].
func (s *Store) Conversation(_ context.Context, scope task.Scope, contextID string, version uint64) (task.Transcript, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var t task.Transcript
	c := s.conversations[contextKey{scope, contextID}]
	if c == nil {
		return t, nil
	}
	t.Version = min(version, uint64(len(c.turns)))
	for _, b := range c.turns[:t.Version] {
		if err := appendJSON(&t.Messages, b); err != nil {
			return task.Transcript{}, err
		}
	}
	return t, nil
}

// appendJSON appends the elements of a JSON array.
func appendJSON[T any](list *[]T, b []byte) error {
	var more []T
	if err := json.Unmarshal(b, &more); err != nil {
		return fmt.Errorf("memory: read a turn: %w", err)
	}
	*list = append(*list, more...)
	return nil
}

// Due implements [task.Recovery].
func (s *Store) Due(_ context.Context, now time.Time) iter.Seq2[task.Due, error] {
	return func(yield func(task.Due, error) bool) {
		for _, d := range s.dueBefore(now) {
			if !yield(d, nil) {
				return
			}
		}
	}
}

func (s *Store) dueBefore(now time.Time) []task.Due {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var due []task.Due
	for _, e := range s.due.entries {
		if !e.wake.Before(now) {
			break
		}
		due = append(due, task.Due{Key: e.key, Wake: e.wake})
	}
	return due
}
