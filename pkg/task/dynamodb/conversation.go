package dynamodb

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// turnPut adds a turn to its conversation as the next version, if nobody added that one.
func (s *Store) turnPut(ctx context.Context, w *write) (*types.Put, error) {
	messages, err := a2a.Marshal(w.c.Turn.Messages)
	if err != nil {
		return nil, fmt.Errorf("dynamodb: encode a turn: %w", err)
	}
	pk := conversationPartition(w.k.Scope, w.c.Turn.ContextID)
	row := turnRow(w.c.Turn.Version + 1)
	b, err := s.store(ctx, pk, row, task.NewID(), messages, maxBody)
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

// Conversation implements [task.Store]: one query. A conversation's version is the number of its
// last turn, so there is nothing else to keep or to write.
func (s *Store) Conversation(ctx context.Context, scope task.Scope, contextID string, version uint64) (task.Transcript, error) {
	var t task.Transcript
	if version == 0 {
		return t, nil
	}
	pk := conversationPartition(scope, contextID)
	rows, at, err := s.query(ctx, pk, turnRow(1), turnRow(version)+"~", false)
	if err != nil {
		return t, err
	}
	for _, i := range rows {
		b, err := bodyOf(i["body"])
		if err != nil {
			return task.Transcript{}, err
		}
		body, err := s.load(ctx, pk, i.str("sk"), b, at)
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

// version is a conversation's, as of now.
func (s *Store) version(ctx context.Context, scope task.Scope, contextID string) (uint64, error) {
	e := newExpression()
	condition := fmt.Sprintf("%s = %s", e.name("pk"), e.value(str(conversationPartition(scope, contextID))))
	in := &dynamodb.QueryInput{
		TableName: s.table, KeyConditionExpression: &condition, ConsistentRead: new(true), ScanIndexForward: new(false),
		ProjectionExpression:     new(e.name("sk") + ", " + e.name("body")),
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values, Limit: new(int32(8)),
	}
	for i, err := range s.pages(ctx, in) {
		if err != nil {
			return 0, err
		}
		if !i.has("body") {
			continue // a part
		}
		var version uint64
		_, err := fmt.Sscanf(i.str("sk"), "M#%d", &version)
		return version, err
	}
	return 0, nil
}
