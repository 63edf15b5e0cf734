// Package sqlite keeps tasks in an SQLite file: a restart loses nothing, and several processes of
// one machine share one set (STORE-11, STORE-12). README.md explains the tables and how each
// operation reaches them.
package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// Store is a [task.Store] in an SQLite file.
type Store struct {
	db        *sql.DB
	namespace string
	// writing holds back the writers of this store but one: a lock that is handed on is faster
	// than SQLite's, which is polled.
	writing chan struct{}
	do      statements
}

// New returns the store of a namespace in db, which [Open] opened. Stores of different namespaces
// know nothing of each other's tasks and conversations (STORE-11). It brings the file's schema up
// to date, and fails if that is newer than this program. The store ends with db.
func New(db *sql.DB, namespace ...string) (*Store, error) {
	name, err := json.Marshal(append([]string{}, namespace...))
	if err != nil {
		return nil, fmt.Errorf("sqlite: namespace: %w", err)
	}
	s := &Store{db: db, namespace: string(name), writing: make(chan struct{}, 1)}
	ctx := context.Background()
	err = s.write(ctx, func(tx *sql.Tx) error { return migrate(ctx, tx) })
	if err != nil {
		return nil, fmt.Errorf("sqlite: schema: %w", err)
	}
	if s.do, err = prepare(ctx, db); err != nil {
		return nil, err
	}
	return s, nil
}

// write runs f in a transaction that no other write runs beside.
func (s *Store) write(ctx context.Context, f func(*sql.Tx) error) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	tx, err := s.db.BeginTx(ctx, nil) // IMMEDIATE: see Open
	if err != nil {
		return fmt.Errorf("sqlite: begin: %w", err)
	}
	defer tx.Rollback() // does nothing after a commit
	if err := f(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("sqlite: commit: %w", err)
	}
	return nil
}
