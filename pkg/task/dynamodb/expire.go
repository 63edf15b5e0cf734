package dynamodb

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Expire lets all rows of a finished task go at a time: a query, and an update of each row,
// the header's last, so that whoever is cut off in between does it again. *[task.Refused]: the
// task is not finished, or owes pushes. [task.ErrNotFound].
func (s *Store) Expire(ctx context.Context, k task.Key, at time.Time) error {
	r, _, err := s.Read(ctx, k, task.Latest)
	if err != nil {
		return err
	}
	if !r.Status.State.Terminal() || r.Owes() {
		return &task.Refused{Current: r}
	}
	ttl := num(uint64(at.Unix()))
	for _, pk := range []string{taskPartition(k), journalPartition(k)} {
		if err := s.expireRows(ctx, pk, ttl); err != nil {
			return err
		}
	}
	e := newExpression()
	e.where("rev", "=", num(r.Revision))
	e.assign(item{"ttl": ttl})
	return refusal("let a task expire", s.touch(ctx, k, e))
}

// expireRows sets the time of all rows of a partition but a header.
func (s *Store) expireRows(ctx context.Context, pk string, ttl types.AttributeValue) error {
	keys := newExpression()
	in := s.spanQuery(pk, span{}, keys)
	in.ProjectionExpression = new(keys.name("pk") + ", " + keys.name("sk"))
	for i, err := range s.pages(ctx, in) {
		if err != nil {
			return err
		}
		if i.str("sk") == header {
			continue
		}
		if err := s.expireRow(ctx, item{"pk": i["pk"], "sk": i["sk"]}, ttl); err != nil {
			return refusal("let a row expire", err)
		}
	}
	return nil
}

// expireRow sets a row's time, if the row is still there.
func (s *Store) expireRow(ctx context.Context, key item, ttl types.AttributeValue) error {
	e := newExpression()
	e.assign(item{"ttl": ttl})
	e.conditions = []string{"attribute_exists(" + e.name("pk") + ")"}
	_, err := s.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: s.table, Key: key, UpdateExpression: e.update(),
		ConditionExpression: e.condition(), ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
	})
	var gone *types.ConditionalCheckFailedException
	if errors.As(err, &gone) {
		return nil
	}
	return err
}
