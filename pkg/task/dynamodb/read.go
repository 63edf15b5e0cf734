package dynamodb

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// readTries is how often a task is read whose events move while they are.
const readTries = 5

// errGap says that events were between the header and the rows when they were read.
var errGap = errors.New("dynamodb: events are missing")

// Read implements [task.Store]: one query, backwards, so that the header comes before the rows of
// events that have left it (protocol rule 10).
func (s *Store) Read(ctx context.Context, k task.Key, after uint64) (r *task.Record, events []task.Event, err error) {
	for range readTries {
		r, events, err = s.read(ctx, k, after)
		if !errors.Is(err, errGap) {
			return r, events, err
		}
	}
	return nil, nil, err
}

func (s *Store) read(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error) {
	first := header
	if after != task.Latest {
		first = eventsFrom(after + 1)
	}
	items, at, err := s.query(ctx, taskPartition(k), first, header, true)
	if err != nil {
		return nil, nil, err
	}
	if len(items) == 0 || items[0].str("sk") != header || s.expired(items[0]) {
		return nil, nil, task.ErrNotFound
	}
	r, err := items[0].record()
	if err != nil || after >= r.Events {
		return r, nil, err
	}
	events := make([]task.Event, r.Events-after)
	have := uint64(0)
	place := func(seq uint64, b []byte) error {
		if seq <= after || seq > r.Events || events[seq-after-1].Seq != 0 {
			return nil
		}
		e, err := decodeEvent(seq, b)
		events[seq-after-1] = e
		have++
		return err
	}
	tail := items[0].tail()
	for n, b := range tail {
		if err := place(r.Events-uint64(len(tail)-1-n), b); err != nil {
			return nil, nil, err
		}
	}
	for _, i := range items[1:] {
		if err := s.placeRow(ctx, i, r.Born, at, place); err != nil {
			return nil, nil, err
		}
	}
	if have < uint64(len(events)) {
		return nil, nil, errGap
	}
	return r, events, nil
}

// placeRow places the events of one row.
func (s *Store) placeRow(ctx context.Context, i item, born string, at parts, place func(uint64, []byte) error) error {
	if i.str("born") != born {
		return nil
	}
	var last uint64
	if _, err := fmt.Sscanf(i.str("sk"), "E#%d#", &last); err != nil {
		return fmt.Errorf("dynamodb: a row of events has a strange key: %w", err)
	}
	bodies := i.list("bodies")
	for n, v := range bodies {
		b, err := bodyOf(v)
		if err != nil {
			return err
		}
		seq := last - uint64(len(bodies)-1-n)
		body, err := s.load(ctx, i.str("pk"), eventsUpTo(seq, born), b, at)
		if err != nil {
			return err
		}
		if err := place(seq, body); err != nil {
			return err
		}
	}
	return nil
}

// expired reports whether an item's time is over, though it may not be gone yet.
func (s *Store) expired(i item) bool { return i.has("ttl") && int64(i.num("ttl")) < s.now().Unix() }

// query reads the items of a partition between two sort keys as of now: rows in order, and parts
// by their keys.
func (s *Store) query(ctx context.Context, pk, from, to string, backwards bool) ([]item, parts, error) {
	e := newExpression()
	condition := fmt.Sprintf("%s = %s AND %s BETWEEN %s AND %s", e.name("pk"), e.value(str(pk)), e.name("sk"), e.value(str(from)), e.value(str(to)))
	in := &dynamodb.QueryInput{
		TableName: s.table, KeyConditionExpression: &condition, ConsistentRead: new(true), ScanIndexForward: new(!backwards),
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
	}
	var rows []item
	at := parts{}
	for i, err := range s.pages(ctx, in) {
		if err != nil {
			return nil, nil, err
		}
		if i.isPart() {
			at[i.str("sk")] = i.bin("part")
		} else {
			rows = append(rows, i)
		}
	}
	return rows, at, nil
}

// pages yields the items of a query, page by page as they are asked for.
func (s *Store) pages(ctx context.Context, in *dynamodb.QueryInput) func(yield func(item, error) bool) {
	return func(yield func(item, error) bool) {
		var start map[string]types.AttributeValue
		for {
			page := *in
			page.ExclusiveStartKey = start
			out, err := s.db.Query(ctx, &page)
			if err != nil {
				yield(nil, fmt.Errorf("dynamodb: query: %w", err))
				return
			}
			for _, i := range out.Items {
				if !yield(i, nil) {
					return
				}
			}
			if start = out.LastEvaluatedKey; len(start) == 0 {
				return
			}
		}
	}
}
