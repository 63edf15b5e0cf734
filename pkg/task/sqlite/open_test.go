package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/sqlite"
)

var (
	start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	scope = task.Scope{Tenant: "acme", Owner: "alice"}
)

const lease = 30 * time.Second

func accepted(id string) (*task.Record, []task.Event) {
	return task.Accept(task.Acceptance{
		Key:       task.Key{Scope: scope, ID: id},
		ContextID: "ctx",
		Message:   a2a.Message{MessageID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text("Do it.")}}},
		Born:      id,
		At:        start,
	})
}

func mustCreate(t *testing.T, s *sqlite.Store, id string) *task.Record {
	t.Helper()
	r, events := accepted(id)
	if err := s.Create(t.Context(), r, events); err != nil {
		t.Fatalf("Create: %v", err)
	}
	return r
}

// STORE-11: a namespace is a set of its own, though another's looks the same.
func TestNamespaces(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	namespaces := [][]string{nil, {""}, {"a"}, {"a", "b"}, {"a/b"}, {"a,b"}, {`a","b`}, {"b", "a"}}
	for i, namespace := range namespaces {
		s := open(t, path, namespace...)
		mustCreate(t, s, "t1")
		claiming := task.Claiming{Lease: task.Lease{ID: "l", Until: start.Add(lease)}, Now: start}
		r, err := s.Claim(t.Context(), task.Key{Scope: scope, ID: "t1"}, claiming, "")
		if err != nil {
			t.Fatalf("Claim in %q: %v", namespace, err)
		}
		turn := &task.Turn{ContextID: "ctx"}
		c, err := task.Finish(r, task.Ending{State: a2a.TaskStateCompleted}, task.Step{}, turn, task.Write{ID: "w", At: start})
		if err != nil {
			t.Fatalf("Finish: %v", err)
		}
		if _, err := s.Commit(t.Context(), r.Key, c); err != nil {
			t.Fatalf("Commit in %q, number %d: %v", namespace, i, err)
		}
		mustCreate(t, s, "t2")
		page, err := s.List(t.Context(), scope, task.Query{Limit: 10})
		if err != nil || len(page.Tasks) != 2 {
			t.Errorf("List in %q: got %d tasks, %v, want 2", namespace, len(page.Tasks), err)
		}
		due := 0
		for range s.Due(t.Context(), start.Add(2*task.WakeAfter)) {
			due++
		}
		if due != 1 {
			t.Errorf("Due in %q: got %d, want 1", namespace, due)
		}
	}
}

// Several processes may open a file, also for the first time at the same time.
func TestOpenAtTheSameTime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			db, err := sqlite.Open(path)
			if err != nil {
				t.Errorf("Open: %v", err)
				return
			}
			defer db.Close()
			s, err := sqlite.New(db)
			if err != nil {
				t.Errorf("New: %v", err)
				return
			}
			r, events := accepted(strings.Repeat("t", i+1))
			if err := s.Create(t.Context(), r, events); err != nil {
				t.Errorf("Create: %v", err)
			}
		})
	}
	wg.Wait()
	page, err := open(t, path).List(t.Context(), scope, task.Query{Limit: 10})
	if err != nil || len(page.Tasks) != 8 {
		t.Errorf("List: got %d tasks, %v, want 8", len(page.Tasks), err)
	}
}

func TestOpenPath(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b?c=d#e%41&_pragma=x.db")
	mustCreate(t, open(t, path), "t1")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatalf("the file is elsewhere: %v", err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode: got %o, want 600", got)
	}
	if _, err := sqlite.Open(filepath.Join(t.TempDir(), "no", "such", "folder.db")); err == nil {
		t.Error("Open in a folder that is not there: got no error")
	}
}

// What the protocol relies on, on every connection of the pool.
func TestSettings(t *testing.T) {
	t.Parallel()
	db := openDB(t, filepath.Join(t.TempDir(), "tasks.db"))
	for range 3 {
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatalf("Conn: %v", err)
		}
		defer c.Close() // held until all are made
		for pragma, want := range map[string]string{
			"journal_mode": "wal", "synchronous": "2", "busy_timeout": "10000", "foreign_keys": "1",
		} {
			var got string
			if err := c.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s: got %q, %v, want %q", pragma, got, err, want)
			}
		}
	}
}

// A file of a newer program is left alone.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	mustCreate(t, open(t, path), "t1")
	db := openDB(t, path)
	if _, err := db.ExecContext(t.Context(), `INSERT INTO task_schema VALUES (1000)`); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.New(db); err == nil || !strings.Contains(err.Error(), "1000") {
		t.Errorf("New: got error %v, want one that names the version", err)
	}
}

// Each access pattern of README.md is answered from an index.
func TestPlans(t *testing.T) {
	t.Parallel()
	db := openDB(t, filepath.Join(t.TempDir(), "tasks.db"))
	if _, err := sqlite.New(db); err != nil {
		t.Fatalf("New: %v", err)
	}
	want := map[string]string{
		"task":                  "SEARCH task USING INDEX sqlite_autoindex_task_1 (namespace=? AND tenant=? AND owner=? AND id=?)",
		"events":                "SEARCH event USING INDEX sqlite_autoindex_event_1 (task=? AND seq>? AND seq<?)",
		"due":                   "SEARCH task USING INDEX task_by_wake (namespace=? AND wake<?)",
		"version":               "SEARCH turn USING COVERING INDEX sqlite_autoindex_turn_1 (namespace=? AND tenant=? AND owner=? AND context=?)",
		"list":                  "SEARCH task USING INDEX task_by_owner (namespace=? AND tenant=? AND owner=?)",
		"list, by state":        "SEARCH task USING INDEX task_by_owner (namespace=? AND tenant=? AND owner=?)",
		"list, second page":     "SEARCH task USING INDEX task_by_owner (namespace=? AND tenant=? AND owner=? AND (status_at,id)<(?,?))",
		"list, by context":      "SEARCH task USING INDEX task_by_context (namespace=? AND tenant=? AND owner=? AND context=?)",
		"list, since some time": "SEARCH task USING INDEX task_by_owner (namespace=? AND tenant=? AND owner=? AND status_at>?)",
	}
	if diff := cmp.Diff(want, sqlite.Plans(t, db)); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
}
