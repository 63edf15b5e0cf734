package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/sqlite"
	"github.com/interlude-a2a/interlude/pkg/task/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) storetest.Harness {
		path := filepath.Join(t.TempDir(), "tasks.db")
		return storetest.Harness{
			Store: open(t, path),
			// The first store is not closed before: its process knew nothing of its end.
			Reopen: func(t testing.TB) task.Store { return open(t, path) },
		}
	})
}

func openDB(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sqlite.Open(path)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func open(t testing.TB, path string, namespace ...string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.New(openDB(t, path), namespace...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return s
}
