package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxIdle is the connections that are kept open: to open one is dearer than most queries.
const maxIdle = 16

// busyTimeout is how long a write waits for another process's.
const busyTimeout = 10 * time.Second

// Open opens the SQLite file at path, and makes it, readable by its user alone, if there is none.
// Several processes may have it open.
//
// It is set up for a write-ahead log that is synced on every commit: what was acknowledged
// survives a killed process and a lost machine. The protocol relies on it: a call goes out once
// its intent is committed, and an intent that a power cut took back would be sent again. A write
// waits up to ten seconds for another process's.
func Open(path string) (*sql.DB, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sqlite: open: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("sqlite: open: %w", err)
	}
	settings := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)"},
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: settings.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", path, err)
	}
	db.SetMaxIdleConns(maxIdle)
	if err := reach(db); err != nil {
		return nil, errors.Join(fmt.Errorf("sqlite: open %s: %w", path, err), db.Close())
	}
	return db, nil
}

// reach opens the first connection. While another process makes the file, SQLite does not wait for it,
// whatever the time-out of busy files: it takes both for waiting for one another.
func reach(db *sql.DB) error {
	const often = 10 * time.Millisecond
	for end := time.Now().Add(busyTimeout); ; time.Sleep(often) {
		err := db.Ping()
		var busy *sqlite.Error
		if !errors.As(err, &busy) || busy.Code()&0xFF != sqlite3.SQLITE_BUSY || time.Now().After(end) {
			return err
		}
	}
}

//go:embed schema1.sql
var schema1 string

//go:embed schema2.sql
var schema2 string

// migrations lead from each version of the schema to the next, beginning at 0, which is nothing.
// What was released is never edited.
var migrations = []string{schema1, schema2}

// migrate brings the schema to the newest version. The version has a table of its own, so that
// others may keep tables in the same file.
func migrate(ctx context.Context, tx *sql.Tx) error {
	const create = `CREATE TABLE IF NOT EXISTS task_schema (version INTEGER NOT NULL) STRICT`
	if _, err := tx.ExecContext(ctx, create); err != nil {
		return err
	}
	var version int
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(version), 0) FROM task_schema`).Scan(&version); err != nil {
		return err
	}
	if version > len(migrations) {
		return fmt.Errorf("the file has version %d of the schema, this program knows %d", version, len(migrations))
	}
	for i, migration := range migrations[version:] {
		if _, err := tx.ExecContext(ctx, migration); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO task_schema VALUES (?)`, version+i+1); err != nil {
			return err
		}
	}
	return nil
}
