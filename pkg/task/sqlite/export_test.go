package sqlite

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Plans are SQLite's plans for the reads of this package.
func Plans(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	queries := map[string]string{
		"task": selectTask, "events": selectEvents, "due": selectDue, "version": selectVersion,
	}
	for name, q := range map[string]task.Query{
		"list":                  {},
		"list, by state":        {State: a2a.TaskStateWorking},
		"list, second page":     {From: task.Cursor{At: time.Unix(1, 0), ID: "t1"}},
		"list, by context":      {ContextID: "ctx"},
		"list, since some time": {After: time.Unix(1, 0)},
	} {
		queries[name], _ = new(Store).listQuery(task.Scope{}, q, 10)
	}
	plans := map[string]string{}
	for name, query := range queries {
		plans[name] = plan(t, db, query)
	}
	return plans
}

func plan(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	args := make([]any, strings.Count(query, "?"))
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("plan of %s: %v", query, err)
	}
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "; ")
}
