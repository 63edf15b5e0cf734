package dynamodb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

func encodeTurn(t *task.Turn) ([]byte, error) {
	b, err := a2a.Marshal(t.Messages)
	if err != nil {
		return nil, fmt.Errorf("dynamodb: encode a turn: %w", err)
	}
	return b, nil
}

// turnPut adds a turn to its conversation as the next version, if nobody added that one.
func (s *Store) turnPut(ctx context.Context, w *write) (*types.Put, error) {
	pk := conversationPartition(w.k.Scope, w.c.Turn.ContextID)
	row := turnRow(w.c.Turn.Version + 1)
	b, err := s.store(ctx, pk, apart, task.NewID(), w.turn, maxBody)
	if err != nil {
		return nil, err
	}
	e := newExpression()
	free := "attribute_not_exists(" + e.name("pk") + ")"
	return &types.Put{
		TableName: s.table, Item: item{"pk": str(pk), "sk": str(row), "body": b.value()},
		ConditionExpression: &free, ExpressionAttributeNames: e.names,
	}, nil
}

// Conversation implements [task.Store]: one query, and one for each turn that is too big for an
// item. A conversation's version is the number of its last turn, so there is nothing else to keep
// or to write.
func (s *Store) Conversation(ctx context.Context, scope task.Scope, contextID string, version uint64) (task.Transcript, error) {
	var t task.Transcript
	if version == 0 {
		return t, nil
	}
	pk := conversationPartition(scope, contextID)
	rows, at, err := s.query(ctx, pk, upTo(turnRow(1), turnRow(version)))
	if err != nil {
		return t, err
	}
	for _, i := range rows {
		b, err := bodyOf(i["body"])
		if err != nil {
			return task.Transcript{}, err
		}
		body, err := s.load(ctx, pk, apart, b, at)
		if err != nil {
			return task.Transcript{}, err
		}
		var messages []a2a.Message
		if err := json.Unmarshal(body, &messages); err != nil {
			return task.Transcript{}, fmt.Errorf("dynamodb: read a turn: %w", err)
		}
		t.Messages = append(t.Messages, messages...)
		t.Version++
	}
	return t, nil
}

// version is a conversation's, as of now: one query.
func (s *Store) version(ctx context.Context, scope task.Scope, contextID string) (uint64, error) {
	last := beginsWith(turns)
	last.backwards = true
	e := newExpression()
	in := s.spanQuery(conversationPartition(scope, contextID), last, e)
	in.ProjectionExpression, in.Limit = new(e.name("sk")), new(int32(1))
	for i, err := range s.pages(ctx, in) {
		if err != nil {
			return 0, err
		}
		version, err := strconv.ParseUint(strings.TrimPrefix(i.str("sk"), turns), 10, 64)
		if err != nil {
			return 0, errors.New("dynamodb: a turn has a strange key")
		}
		return version, nil
	}
	return 0, nil
}
