package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// statements are those of every task's life, prepared once: compiled each time, a write would take
// a third more of the processor.
type statements struct {
	insertTask, updateTask, updateDuties *sql.Stmt
	insertEvent, insertRow, insertTurn   *sql.Stmt
	selectTask, selectEvents, selectRows *sql.Stmt
	selectVersion, selectTurns           *sql.Stmt
	selectDue                            *sql.Stmt
	insertSaid, selectSaid, deleteSaid   *sql.Stmt
}

const (
	insertTask = `INSERT INTO task
		(namespace, tenant, owner, id, context, state, status_at, bare, record, lease_until, pushed, wake)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	updateTask = `UPDATE task
		SET state = ?, status_at = ?, bare = ?, record = ?, lease_until = ?, pushed = ?, wake = ?
		WHERE row = ?`
	updateDuties = `UPDATE task SET lease_until = ?, pushed = ?, wake = ? WHERE row = ?`
	insertEvent  = `INSERT INTO event (task, seq, body) VALUES (?, ?, ?)`
	insertRow    = `INSERT INTO journal (task, name, value) VALUES (?, ?, ?)
		ON CONFLICT DO UPDATE SET value = excluded.value`
	insertTurn = `INSERT INTO turn (namespace, tenant, owner, context, version, messages)
		VALUES (?, ?, ?, ?, ?, ?)`

	selectTask = `SELECT row, record, lease_until, pushed, wake FROM task
		WHERE namespace = ? AND tenant = ? AND owner = ? AND id = ?`
	selectEvents = `SELECT body FROM event WHERE task = ? AND seq > ? AND seq <= ? ORDER BY seq`
	selectRows   = `SELECT name, value FROM journal
		WHERE task = (SELECT row FROM task WHERE namespace = ? AND tenant = ? AND owner = ? AND id = ?)
		AND name >= ? ORDER BY name`
	selectVersion = `SELECT coalesce(max(version), 0) FROM turn
		WHERE namespace = ? AND tenant = ? AND owner = ? AND context = ?`
	selectTurns = `SELECT messages FROM turn
		WHERE namespace = ? AND tenant = ? AND owner = ? AND context = ? AND version <= ? ORDER BY version`
	selectDue = `SELECT tenant, owner, id, wake FROM task
		WHERE namespace = ? AND wake < ? ORDER BY wake`

	insertSaid = `INSERT INTO said (task, fence, attempt, piece, events, artifact, text) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`
	selectSaid = `SELECT events, artifact, text, attempt, piece FROM said
		WHERE task = (SELECT row FROM task WHERE namespace = ? AND tenant = ? AND owner = ? AND id = ?)
		AND fence = ? AND (attempt, piece) > (?, ?) ORDER BY attempt, piece`
	deleteSaid = `DELETE FROM said WHERE task = ? AND (fence, attempt) < (?, ?)`
)

func prepare(ctx context.Context, db *sql.DB) (statements, error) {
	var s statements
	for _, p := range []struct {
		into  **sql.Stmt
		query string
	}{
		{&s.insertTask, insertTask}, {&s.updateTask, updateTask}, {&s.updateDuties, updateDuties},
		{&s.insertEvent, insertEvent}, {&s.insertRow, insertRow}, {&s.insertTurn, insertTurn},
		{&s.selectTask, selectTask}, {&s.selectEvents, selectEvents}, {&s.selectRows, selectRows},
		{&s.selectVersion, selectVersion}, {&s.selectTurns, selectTurns}, {&s.selectDue, selectDue},
		{&s.insertSaid, insertSaid}, {&s.selectSaid, selectSaid}, {&s.deleteSaid, deleteSaid},
	} {
		var err error
		if *p.into, err = db.PrepareContext(ctx, p.query); err != nil {
			return s, fmt.Errorf("sqlite: prepare: %w", err)
		}
	}
	return s, nil
}
