package dynamodb

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Due implements [task.Recovery]: a query of each shard of the recovery index, page by page as
// they are asked for, put together by time.
func (s *Store) Due(ctx context.Context, now time.Time) iter.Seq2[task.Due, error] {
	return func(yield func(task.Due, error) bool) {
		var heads []*head
		defer func() {
			for _, h := range heads {
				h.stop()
			}
		}()
		for n := range shards {
			h := &head{}
			h.next, h.stop = iter.Pull2(s.dueIn(ctx, shard(n), now))
			heads = append(heads, h)
			h.advance()
		}
		for {
			first := earliest(heads)
			if first == nil || !yield(first.due, first.err) || first.err != nil {
				return
			}
			first.advance()
		}
	}
}

// head is the first that a shard has left.
type head struct {
	next func() (task.Due, error, bool)
	stop func()

	due task.Due
	err error
	ok  bool
}

func (h *head) advance() { h.due, h.err, h.ok = h.next() }

// earliest is the shard whose head is due first, or failed.
func earliest(heads []*head) *head {
	var first *head
	for _, h := range heads {
		switch {
		case !h.ok:
		case h.err != nil:
			return h
		case first == nil || h.due.Wake.Before(first.due.Wake):
			first = h
		}
	}
	return first
}

func (s *Store) dueIn(ctx context.Context, shard string, now time.Time) iter.Seq2[task.Due, error] {
	e := newExpression()
	before := now.Add(time.Millisecond - time.Nanosecond) // the first millisecond not before it
	condition := fmt.Sprintf("%s = %s AND %s < %s", e.name("lw"), e.value(str(shard)), e.name("wake"), e.value(ms(before)))
	in := &dynamodb.QueryInput{
		TableName: s.table, IndexName: new(recoveryIndex), KeyConditionExpression: &condition,
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
	}
	return func(yield func(task.Due, error) bool) {
		for i, err := range s.pages(ctx, in) {
			var d task.Due
			if err == nil {
				d.Key, err = keyOf(i.str("pk"), i.str("owner"))
				d.Wake = i.time("wake")
			}
			if !yield(d, err) {
				return
			}
		}
	}
}
