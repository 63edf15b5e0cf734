package dynamodb

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Claim implements [task.Store]: one update, which is the read as well. It has two forms, for a
// submitted and for a working task; a wrong hint costs the other one too. The expressions say what
// [task.Claim] says: a test compares them.
func (s *Store) Claim(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error) {
	state := hint
	if state != a2a.TaskStateWorking {
		state = a2a.TaskStateSubmitted
	}
	for tried := false; ; tried = true {
		r, err := s.claim(ctx, k, c, state)
		var refused *task.Refused
		if !errors.As(err, &refused) || refused.Current == nil {
			return r, err
		}
		met := refused.Current
		if tried || task.Claim(met, c) == nil || met.Status.State == state {
			return nil, err
		}
		state = met.Status.State
	}
}

func (s *Store) claim(ctx context.Context, k task.Key, c task.Claiming, state a2a.TaskState) (*task.Record, error) {
	e := newExpression()
	e.where("state", "=", str(string(state)))
	free := c.Now.Add(-task.ClaimMargin).Add(time.Millisecond - time.Nanosecond) // the first millisecond not before it
	e.conditions = append(e.conditions,
		"(attribute_not_exists("+e.name("lease")+") OR "+e.name("until")+" < "+e.value(ms(free))+")")
	at := stamp(c.Now)
	changes := item{
		"lease": str(c.Lease.ID), "replica": str(c.Lease.Replica), "until": ms(c.Lease.Until),
		"writes": strs(nil), "updated": ms(at),
	}
	setWake(changes, k.ID, at.Add(task.WakeAfter))
	for _, counter := range []string{"rev", "fence", "attempts"} {
		e.add(counter, 1)
	}
	if state == a2a.TaskStateSubmitted {
		if err := startWorking(e, changes, k, at); err != nil {
			return nil, err
		}
	}
	e.assign(changes)
	var out *dynamodb.UpdateItemOutput
	err := settled(ctx, func() (err error) { out, err = s.db.UpdateItem(ctx, s.update(k, e)); return err })
	if err != nil {
		return nil, refusal("claim a task", err)
	}
	return item(out.Attributes).record()
}

// startWorking adds the status that a submitted task takes with its first claim.
func startWorking(e *expression, changes item, k task.Key, at time.Time) error {
	status := a2a.TaskStatus{State: a2a.TaskStateWorking, Timestamp: at}
	b, err := a2a.Marshal(status)
	if err != nil {
		return err
	}
	events, err := encodeEvents([]task.Event{{At: at, Status: &status}})
	if err != nil {
		return err
	}
	changes["state"], changes["status"], changes["ls"] = str(string(status.State)), bin(b), str(place(at, k.ID))
	e.set = append(e.set, e.name("lastStatus")+" = "+e.name("events")+" + "+e.value(num(1)))
	e.add("events", 1)
	e.append("tail", bins(events))
	e.add("tailSize", uint64(total(events)))
	return nil
}

// stamp is t as records have it.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// update is an update of a task's header that returns the item as it is after it, or, if its
// condition fails, as it is.
func (s *Store) update(k task.Key, e *expression) *dynamodb.UpdateItemInput {
	return &dynamodb.UpdateItemInput{
		TableName: s.table, Key: item{"pk": str(taskPartition(k)), "sk": str(header)},
		UpdateExpression: e.update(), ConditionExpression: e.condition(),
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
		ReturnValues:                        types.ReturnValueAllNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}
