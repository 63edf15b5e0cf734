package dynamodb

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Create implements [task.Store]: one put. Only a message that is too big for the header is
// written before it, and before that the header is looked for: what a repeat would write ahead stays in
// the task for good. A task that has expired is as good as gone.
func (s *Store) Create(ctx context.Context, r *task.Record, first []task.Event) error {
	events, err := encodeEvents(first)
	if err != nil {
		return err
	}
	i, err := revisioned(r)
	if err != nil {
		return err
	}
	setPushed(i, r.Pushed)
	setWake(i, r.ID, r.Wake)
	pk := taskPartition(r.Key)
	i["pk"], i["sk"] = str(pk), str(header)
	i["owner"], i["id"], i["contextId"] = str(r.Owner), str(r.ID), str(r.ContextID)
	i["rows"], i["rowsSize"] = &types.AttributeValueMemberM{Value: item{}}, num(0)
	if total(events) > maxTail {
		if err := s.vacant(ctx, pk); err != nil {
			return err
		}
		// Nobody else writes under what is born here.
		row, err := s.eventRow(ctx, pk, r.Born, r.Born, r.Events, events, maxBody)
		if err != nil {
			return err
		}
		if err := s.put(ctx, row); err != nil {
			return err
		}
		events = nil
	}
	i["tail"], i["tailSize"] = &types.AttributeValueMemberL{Value: bins(events)}, num(uint64(total(events)))
	for name, v := range i {
		if v == nil {
			delete(i, name)
		}
	}
	return settled(ctx, func() error { return s.putNew(ctx, i) })
}

// vacant refuses a partition that has a task.
func (s *Store) vacant(ctx context.Context, pk string) error {
	met, err := s.get(ctx, pk, header)
	if err != nil || len(met) == 0 || s.expired(met) {
		return err
	}
	return refusedBy(met)
}

func (s *Store) putNew(ctx context.Context, i item) error {
	e := newExpression()
	condition := "attribute_not_exists(" + e.name("pk") + ") OR " + e.name("ttl") + " < " + e.value(num(uint64(s.now().Unix())))
	_, err := s.db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: s.table, Item: i,
		ConditionExpression: &condition, ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	return refusal("create a task", err)
}
