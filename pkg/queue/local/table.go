package local

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// table keeps a queue's messages in SQLite, a row each.
type table struct{ db *sql.DB }

const schema = `CREATE TABLE IF NOT EXISTS queue_messages (
	id         TEXT PRIMARY KEY,
	poke       TEXT NOT NULL,    -- JSON
	attempts   INTEGER NOT NULL,
	visible_at INTEGER NOT NULL  -- Unix time in nanoseconds
)`

const upsert = `INSERT INTO queue_messages (id, poke, attempts, visible_at) VALUES (?, ?, ?, ?)
	ON CONFLICT (id) DO UPDATE SET attempts = excluded.attempts, visible_at = excluded.visible_at`

// load makes the table if there is none and returns its messages, oldest first.
func (t table) load(ctx context.Context) ([]*message, error) {
	if _, err := t.db.ExecContext(ctx, schema); err != nil {
		return nil, fmt.Errorf("queue: make table: %w", err)
	}
	rows, err := t.db.QueryContext(ctx, `SELECT id, poke, attempts, visible_at FROM queue_messages ORDER BY rowid`)
	if err != nil {
		return nil, fmt.Errorf("queue: load: %w", err)
	}
	defer rows.Close()
	var messages []*message
	for rows.Next() {
		m, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("queue: load: %w", err)
		}
		messages = append(messages, m)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("queue: load: %w", err)
	}
	return messages, nil
}

func scan(rows *sql.Rows) (*message, error) {
	var (
		m       message
		poke    []byte
		visible int64
	)
	if err := rows.Scan(&m.id, &poke, &m.attempts, &visible); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(poke, &m.poke); err != nil {
		return nil, fmt.Errorf("message %s: %w", m.id, err)
	}
	m.visible = time.Unix(0, visible)
	return &m, nil
}

// save writes messages, all or none.
func (t table) save(ctx context.Context, messages ...*message) error {
	tx, err := t.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("queue: save: %w", err)
	}
	defer tx.Rollback() // no effect after Commit
	for _, m := range messages {
		poke, err := json.Marshal(m.poke)
		if err != nil {
			return fmt.Errorf("queue: save: %w", err)
		}
		if _, err := tx.ExecContext(ctx, upsert, m.id, string(poke), m.attempts, m.visible.UnixNano()); err != nil {
			return fmt.Errorf("queue: save: %w", err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("queue: save: %w", err)
	}
	return nil
}

func (t table) remove(ctx context.Context, id string) error {
	if _, err := t.db.ExecContext(ctx, `DELETE FROM queue_messages WHERE id = ?`, id); err != nil {
		return fmt.Errorf("queue: remove: %w", err)
	}
	return nil
}
