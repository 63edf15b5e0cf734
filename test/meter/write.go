package meter

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// reporting is the input of a write that DynamoDB will report the units of; any other is as it was.
func reporting(in any) any {
	const total = types.ReturnConsumedCapacityTotal
	switch in := in.(type) {
	case *dynamodb.PutItemInput:
		c := *in
		c.ReturnConsumedCapacity = total
		return &c
	case *dynamodb.UpdateItemInput:
		c := *in
		c.ReturnConsumedCapacity = total
		return &c
	case *dynamodb.DeleteItemInput:
		c := *in
		c.ReturnConsumedCapacity = total
		return &c
	case *dynamodb.BatchWriteItemInput:
		c := *in
		c.ReturnConsumedCapacity = total
		return &c
	case *dynamodb.TransactWriteItemsInput:
		c := *in
		c.ReturnConsumedCapacity = total
		return &c
	}
	return in
}

// reported is the write units that the answer to a write speaks of.
func reported(out any) float64 {
	switch out := out.(type) {
	case *dynamodb.PutItemOutput:
		return sum(*out.ConsumedCapacity)
	case *dynamodb.UpdateItemOutput:
		return sum(*out.ConsumedCapacity)
	case *dynamodb.DeleteItemOutput:
		return sum(*out.ConsumedCapacity)
	case *dynamodb.BatchWriteItemOutput:
		return sum(out.ConsumedCapacity...)
	case *dynamodb.TransactWriteItemsOutput:
		return sum(out.ConsumedCapacity...)
	}
	return 0
}

func sum(consumed ...types.ConsumedCapacity) float64 {
	n := 0.0
	for _, c := range consumed {
		n += *c.CapacityUnits
	}
	return n
}

// write is one item that a call would write, or only check.
type write struct {
	table string
	attrs item // of the new item, or of a key
	put   bool
}

// writes are those of a call that can have a condition.
func writes(in any) []write {
	switch in := in.(type) {
	case *dynamodb.PutItemInput:
		return []write{{table: *in.TableName, attrs: in.Item, put: true}}
	case *dynamodb.UpdateItemInput:
		return []write{{table: *in.TableName, attrs: in.Key}}
	case *dynamodb.DeleteItemInput:
		return []write{{table: *in.TableName, attrs: in.Key}}
	case *dynamodb.TransactWriteItemsInput:
		var ws []write
		for _, i := range in.TransactItems {
			switch {
			case i.Put != nil:
				ws = append(ws, write{table: *i.Put.TableName, attrs: i.Put.Item, put: true})
			case i.Update != nil:
				ws = append(ws, write{table: *i.Update.TableName, attrs: i.Update.Key})
			case i.Delete != nil:
				ws = append(ws, write{table: *i.Delete.TableName, attrs: i.Delete.Key})
			case i.ConditionCheck != nil:
				ws = append(ws, write{table: *i.ConditionCheck.TableName, attrs: i.ConditionCheck.Key})
			}
		}
		return ws
	}
	return nil
}

// writeUnits is what a write cost. A refused one costs what its condition was checked on: the item
// that stands there or, if larger, the one that would have. (What an update would have made of the
// item, nobody knows.) No index is written then. Transactions cost twice.
func (p *pricer) writeUnits(ctx context.Context, in, out any, err error) (float64, error) {
	if err == nil {
		return reported(out), nil
	}
	if !refused(err) {
		return 0, nil
	}
	price := 1
	if _, ok := in.(*dynamodb.TransactWriteItemsInput); ok {
		price = 2
	}
	units := 0
	for _, w := range writes(in) {
		stored, err := p.stored(ctx, w.table, w.attrs)
		if err != nil {
			return 0, err
		}
		n := size(stored)
		if w.put {
			n = max(n, size(w.attrs))
		}
		units += price * pieces(n, 1<<10)
	}
	return float64(units), nil
}

// refused reports whether a write failed on a condition, its own or its transaction's. What fails
// otherwise costs nothing.
func refused(err error) bool {
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return true
	}
	_, ok := errors.AsType[*types.TransactionCanceledException](err)
	return ok
}
