package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Read implements [task.Store]. It needs no transaction: events never change, and only those the
// record counts are read.
func (s *Store) Read(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error) {
	row, r, err := s.find(ctx, s.do.selectTask, k)
	if err != nil || after >= r.Events {
		return r, nil, err
	}
	rows, err := s.do.selectEvents.QueryContext(ctx, row, number(after), number(r.Events))
	if err != nil {
		return nil, nil, fmt.Errorf("sqlite: read events: %w", err)
	}
	events := make([]task.Event, 0, r.Events-after)
	for e, err := range each(rows, scanJSON[task.Event]) {
		if err != nil {
			return nil, nil, fmt.Errorf("sqlite: read events: %w", err)
		}
		events = append(events, e)
	}
	return r, events, nil
}

// Conversation implements [task.Store].
func (s *Store) Conversation(ctx context.Context, scope task.Scope, contextID string, version uint64) (task.Transcript, error) {
	var t task.Transcript
	rows, err := s.do.selectTurns.QueryContext(ctx, s.namespace, scope.Tenant, scope.Owner, contextID, number(version))
	if err != nil {
		return t, fmt.Errorf("sqlite: read a conversation: %w", err)
	}
	for messages, err := range each(rows, scanJSON[[]a2a.Message]) {
		if err != nil {
			return task.Transcript{}, fmt.Errorf("sqlite: read a conversation: %w", err)
		}
		t.Version++
		t.Messages = append(t.Messages, messages...)
	}
	return t, nil
}

// Journal implements [task.Store].
func (s *Store) Journal(ctx context.Context, k task.Key, prefix string) iter.Seq2[task.Row, error] {
	return func(yield func(task.Row, error) bool) {
		rows, err := s.do.selectRows.QueryContext(ctx, append(s.key(k), prefix)...)
		if err != nil {
			yield(task.Row{}, fmt.Errorf("sqlite: read a journal: %w", err))
			return
		}
		for row, err := range each(rows, scanRow) {
			if err == nil && !strings.HasPrefix(row.Name, prefix) {
				return // sorted by name: no more will have it
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// Due implements [task.Recovery].
func (s *Store) Due(ctx context.Context, now time.Time) iter.Seq2[task.Due, error] {
	return func(yield func(task.Due, error) bool) {
		rows, err := s.do.selectDue.QueryContext(ctx, s.namespace, now.UnixNano())
		if err != nil {
			yield(task.Due{}, fmt.Errorf("sqlite: read what is due: %w", err))
			return
		}
		each(rows, scanDue)(yield)
	}
}

// each yields what scan makes of every row, then closes rows.
func each[T any](rows *sql.Rows, scan func(*sql.Rows) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		defer rows.Close()
		for rows.Next() {
			if v, err := scan(rows); !yield(v, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			var zero T
			yield(zero, err)
		}
	}
}

func scanJSON[T any](rows *sql.Rows) (v T, err error) {
	var b sql.RawBytes
	if err := rows.Scan(&b); err != nil {
		return v, err
	}
	err = json.Unmarshal(b, &v)
	return v, err
}

func scanRow(rows *sql.Rows) (r task.Row, err error) {
	err = rows.Scan(&r.Name, &r.Value)
	return r, err
}

func scanDue(rows *sql.Rows) (d task.Due, err error) {
	var wake sql.NullInt64
	err = rows.Scan(&d.Key.Tenant, &d.Key.Owner, &d.Key.ID, &wake)
	d.Wake = fromNanos(wake)
	return d, err
}
