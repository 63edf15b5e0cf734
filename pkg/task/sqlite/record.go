package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// key is a task's key as the first arguments of a statement.
func (s *Store) key(k task.Key) []any { return []any{s.namespace, k.Tenant, k.Owner, k.ID} }

// find reads a task and the number of its row. [task.ErrNotFound].
func (s *Store) find(ctx context.Context, stmt *sql.Stmt, k task.Key) (row int64, r *task.Record, err error) {
	var (
		record              []byte
		until, pushed, wake sql.NullInt64
	)
	err = stmt.QueryRowContext(ctx, s.key(k)...).Scan(&row, &record, &until, &pushed, &wake)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil, task.ErrNotFound
	}
	if err != nil {
		return 0, nil, fmt.Errorf("sqlite: read a task: %w", err)
	}
	r = new(task.Record)
	if err := json.Unmarshal(record, r); err != nil {
		return 0, nil, fmt.Errorf("sqlite: read a record: %w", err)
	}
	if r.Lease != nil {
		r.Lease.Until = fromNanos(until)
	}
	r.Pushed = nil
	if pushed.Valid {
		r.Pushed = new(uint64(pushed.Int64))
	}
	r.Wake = fromNanos(wake)
	return row, r, nil
}

// duties are the three fields of r that change under no revision, as columns: lease_until, pushed,
// wake.
func duties(r *task.Record) []any {
	var until, pushed, wake sql.NullInt64
	if r.Lease != nil {
		until = nanos(r.Lease.Until)
	}
	if r.Pushed != nil {
		pushed = sql.NullInt64{Int64: int64(*r.Pushed), Valid: true}
	}
	if !r.Wake.IsZero() {
		wake = nanos(r.Wake)
	}
	return []any{until, pushed, wake}
}

// state is the rest of r that changes: state, status_at, bare, record.
func state(r *task.Record) ([]any, error) {
	record, err := encode(r)
	if err != nil {
		return nil, err
	}
	return []any{string(r.Status.State), r.Status.Timestamp.UnixMilli(), r.Bare, record}, nil
}

func nanos(t time.Time) sql.NullInt64 { return sql.NullInt64{Int64: t.UnixNano(), Valid: true} }

func fromNanos(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.Unix(0, n.Int64).UTC()
}

// number is n as SQLite can compare it: [task.Latest] becomes the largest there is.
func number(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// encode is v as JSON in a TEXT column.
func encode(v any) (string, error) {
	b, err := a2a.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("sqlite: encode: %w", err)
	}
	return string(b), nil
}
