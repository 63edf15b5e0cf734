package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Say implements [task.Store]. Earlier attempts' text goes with the first piece of a new one.
func (s *Store) Say(ctx context.Context, k task.Key, t task.Text) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		row, _, err := s.meet(ctx, tx, k)
		if refused := (*task.Refused)(nil); errors.As(err, &refused) {
			return task.ErrNotFound
		}
		if err != nil {
			return err
		}
		if err := s.forgetSaid(ctx, tx, row, t.Fence, t.Attempt); err != nil {
			return err
		}
		_, err = tx.StmtContext(ctx, s.do.insertSaid).ExecContext(ctx, row, number(t.Fence), t.Attempt, t.Piece, number(t.Events), t.Artifact, t.Text)
		if err != nil {
			return fmt.Errorf("sqlite: add text: %w", err)
		}
		return nil
	})
}

// forgetSaid drops the text before an attempt.
func (s *Store) forgetSaid(ctx context.Context, tx *sql.Tx, row int64, fence uint64, attempt int) error {
	if _, err := tx.StmtContext(ctx, s.do.deleteSaid).ExecContext(ctx, row, number(fence), attempt); err != nil {
		return fmt.Errorf("sqlite: drop text: %w", err)
	}
	return nil
}

// everSaid is behind all text.
const everSaid = math.MaxInt64

// Said implements [task.Store].
func (s *Store) Said(ctx context.Context, k task.Key, after task.TextMark) ([]task.Text, error) {
	rows, err := s.do.selectSaid.QueryContext(ctx, append(s.key(k), number(after.Fence), after.Attempt, after.Piece)...)
	if err != nil {
		return nil, fmt.Errorf("sqlite: read text: %w", err)
	}
	var all []task.Text
	for t, err := range each(rows, scanText) {
		if err != nil {
			return nil, fmt.Errorf("sqlite: read text: %w", err)
		}
		t.Fence = after.Fence
		all = append(all, t)
	}
	return all, nil
}

func scanText(rows *sql.Rows) (t task.Text, err error) {
	err = rows.Scan(&t.Events, &t.Artifact, &t.Text, &t.Attempt, &t.Piece)
	return t, err
}
