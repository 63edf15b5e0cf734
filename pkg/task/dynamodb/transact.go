package dynamodb

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/a2a"
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

// written is the record after a transaction, which returns none. Where the header was not met,
// nobody else writes what no revision guards while a run completes its task but for the lease,
// which the same write lets go.
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
// small goes into parts.
func (s *Store) rowPuts(ctx context.Context, w *write, rows []task.Row) ([]item, error) {
	limit := maxBody
	if w.size(rows) > maxTransaction {
		limit = smallBody
	}
	puts, err := s.journalPuts(ctx, w, rows, limit)
	if err != nil || w.met == nil {
		return puts, err
	}
	events := append(w.met.tail(), w.events...)
	if len(events) == 0 {
		return puts, nil
	}
	moved, err := s.eventRows(ctx, taskPartition(w.k), w.c.Next.Born, task.NewID(), w.c.Next.Events, events, limit)
	return append(puts, moved...), err
}

// size is how much the transaction would hold in bytes.
func (w *write) size(rows []task.Row) int {
	n := total(w.events)
	for _, r := range rows {
		n += len(r.Name) + len(r.Value)
	}
	if w.c.Turn != nil {
		b, _ := a2a.Marshal(w.c.Turn.Messages) // fails again where it is written
		n += min(len(b), maxBody)
	}
	return n
}

// eventRows are the rows of events the last of which has a number.
func (s *Store) eventRows(ctx context.Context, pk, born, tag string, last uint64, events [][]byte, limit int) ([]item, error) {
	var rows []item
	var bodies []types.AttributeValue
	size, seq := 0, last-uint64(len(events))
	flush := func() {
		if len(bodies) > 0 {
			rows = append(rows, item{
				"pk": str(pk), "sk": str(eventsUpTo(seq, born)), "born": str(born),
				"bodies": &types.AttributeValueMemberL{Value: bodies},
			})
			bodies, size = nil, 0
		}
	}
	for _, e := range events {
		if size+min(len(e), limit) > maxBody {
			flush()
		}
		seq++
		b, err := s.store(ctx, pk, eventsUpTo(seq, born), tag, e, limit)
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, b.value())
		size += len(b.inline)
	}
	flush()
	return rows, nil
}
