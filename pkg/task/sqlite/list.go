package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// List implements [task.Store]. One task more than the page holds is asked for, to know whether
// there is another page.
func (s *Store) List(ctx context.Context, scope task.Scope, q task.Query) (task.Page, error) {
	limit := max(q.Limit, 1)
	query, args := s.listQuery(scope, q, limit+1)
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return task.Page{}, fmt.Errorf("sqlite: list: %w", err)
	}
	var page task.Page
	for listed, err := range each(rows, scanListed) {
		if err != nil {
			return task.Page{}, fmt.Errorf("sqlite: list: %w", err)
		}
		if len(page.Tasks) == limit {
			last := page.Tasks[limit-1]
			page.Next = &task.Cursor{At: last.Status.Timestamp, ID: last.Key.ID}
			break
		}
		listed.Key.Scope = scope
		page.Tasks = append(page.Tasks, listed)
	}
	return page, nil
}

// listQuery selects with the conditions that q has, each of which is answered from one index:
// task_by_context if a context is asked for, else task_by_owner.
func (s *Store) listQuery(scope task.Scope, q task.Query, limit int) (query string, args []any) {
	query = `SELECT id, record FROM task WHERE bare = 0 AND namespace = ? AND tenant = ? AND owner = ?`
	args = []any{s.namespace, scope.Tenant, scope.Owner}
	where := func(condition string, values ...any) {
		query += " AND " + condition
		args = append(args, values...)
	}
	if q.ContextID != "" {
		where("context = ?", q.ContextID)
	}
	if q.State != "" {
		where("state = ?", string(q.State))
	}
	if !q.After.IsZero() {
		where("status_at >= ?", ceilMilli(q.After))
	}
	if q.From.ID != "" {
		where("(status_at, id) < (?, ?)", q.From.At.UnixMilli(), q.From.ID)
	}
	return query + " ORDER BY status_at DESC, id DESC LIMIT ?", append(args, limit)
}

// ceilMilli is the first millisecond not before t.
func ceilMilli(t time.Time) int64 {
	return t.Add(time.Millisecond - time.Nanosecond).UnixMilli()
}

// scanListed reads of a record only what a list shows.
func scanListed(rows *sql.Rows) (l task.Listed, err error) {
	var b sql.RawBytes
	if err := rows.Scan(&l.Key.ID, &b); err != nil {
		return l, err
	}
	var record struct {
		ContextID string         `json:"contextId"`
		Status    a2a.TaskStatus `json:"status"`
	}
	err = json.Unmarshal(b, &record)
	l.ContextID, l.Status = record.ContextID, record.Status
	return l, err
}
