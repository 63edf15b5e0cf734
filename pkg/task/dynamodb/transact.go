package dynamodb

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// transact makes the transition with rows of its own: events that leave the header, journal rows,
// and the conversation's turn.
func (s *Store) transact(ctx context.Context, w *write, e *expression, rows []task.Row) (*task.Record, error) {
	puts, err := s.rowPuts(ctx, w, rows)
	if err != nil {
		return nil, err
	}
	header := s.update(w.k, e)
	items := []types.TransactWriteItem{{Update: &types.Update{
		TableName: header.TableName, Key: header.Key, UpdateExpression: header.UpdateExpression,
		ConditionExpression:      header.ConditionExpression,
		ExpressionAttributeNames: header.ExpressionAttributeNames, ExpressionAttributeValues: header.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}}
	for _, put := range puts {
		items = append(items, types.TransactWriteItem{Put: &types.Put{TableName: s.table, Item: put}})
	}
	if w.c.Turn != nil {
		turn, err := s.turnPut(ctx, w)
		if err != nil {
			return nil, err
		}
		items = append(items, types.TransactWriteItem{Put: turn})
	}
	err = settled(ctx, func() error {
		_, err := s.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
		return err
	})
	if err != nil {
		return nil, s.transactionFailed(ctx, w, err)
	}
	return w.written()
}

// transactionFailed tells a refusal by the header from one by the conversation.
func (s *Store) transactionFailed(ctx context.Context, w *write, err error) error {
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) {
		reasons := canceled.CancellationReasons
		if len(reasons) > 0 && reason(reasons[0]) == "ConditionalCheckFailed" {
			return &headerMet{reasons[0].Item}
		}
		if n := len(reasons); n > 0 && w.c.Turn != nil && reason(reasons[n-1]) == "ConditionalCheckFailed" {
			version, err := s.version(ctx, w.k.Scope, w.c.Turn.ContextID)
			if err != nil {
				return err
			}
			return &task.ConversationMoved{Version: version}
		}
	}
	return refusal("change a task", err)
}

// written is the record after a transaction, which returns none. What no revision guards is as it
// was when the header was met, or else when the caller read it: a renewal, a mark or a recovery
// since then is not to be seen. A run knows its own renewals and marks, and nothing is decided by
// the rest.
func (w *write) written() (*task.Record, error) {
	current := &w.c.Next
	if w.met != nil {
		var err error
		if current, err = w.met.record(); err != nil {
			return nil, err
		}
	}
	return w.c.Apply(current), nil
}

// rowPuts are the rows that a transaction adds. Should they be more than it takes, what is not
// small goes into parts. What is added to a task that has an end goes with it.
func (s *Store) rowPuts(ctx context.Context, w *write, rows []task.Row) ([]item, error) {
	limit := maxBody
	if w.size(rows) > maxTransaction {
		limit = smallBody
	}
	puts, err := s.journalPuts(ctx, w, rows, limit)
	if err != nil || w.met == nil {
		return puts, err
	}
	if events := append(w.met.tail(), w.events...); len(events) > 0 {
		row, err := s.eventRow(ctx, taskPartition(w.k), w.c.Next.Born, task.NewID(), w.c.Next.Events, events, limit)
		if err != nil {
			return nil, err
		}
		puts = append(puts, row)
	}
	if end := w.met["ttl"]; end != nil {
		for _, put := range puts {
			put["ttl"] = end
		}
	}
	return puts, nil
}

// size is how many bytes the transaction would hold.
func (w *write) size(rows []task.Row) int {
	n := min(total(w.events), maxBody) + min(len(w.turn), maxBody)
	for _, r := range rows {
		n += len(r.Name) + min(len(r.Value), maxBody)
	}
	return n
}

// eventRow is the row of events the last of which has a number.
func (s *Store) eventRow(ctx context.Context, pk, born, tag string, last uint64, events [][]byte, limit int) (item, error) {
	sk := eventsUpTo(last, born)
	b, err := s.store(ctx, pk, sk, tag, joined(events), limit)
	return item{"pk": str(pk), "sk": str(sk), "born": str(born), "body": b.value()}, err
}
