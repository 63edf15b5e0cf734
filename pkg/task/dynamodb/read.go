package dynamodb

import (
	"context"
	"errors"
	"fmt"

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
	items, at, err := s.query(ctx, taskPartition(k), downTo(first, header))
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
	found, err := decodeEvents(r.Events, joined(items[0].tail()))
	if err != nil {
		return nil, nil, err
	}
	for _, i := range items[1:] {
		events, err := s.eventsOf(ctx, i, r.Born, at)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, events...)
	}
	events, err := between(found, after, r.Events)
	return r, events, err
}

// between puts the events above after in order, each once, up to the last.
func between(found []task.Event, after, last uint64) ([]task.Event, error) {
	events := make([]task.Event, last-after)
	have := 0
	for _, e := range found {
		if e.Seq <= after || e.Seq > last || events[e.Seq-after-1].Seq != 0 {
			continue
		}
		events[e.Seq-after-1] = e
		have++
	}
	if have < len(events) {
		return nil, errGap
	}
	return events, nil
}

// eventsOf are the events of a row; none if it is of a task that had the id before.
func (s *Store) eventsOf(ctx context.Context, i item, born string, at parts) ([]task.Event, error) {
	if i.str("born") != born {
		return nil, nil
	}
	sk := i.str("sk")
	var last uint64
	if _, err := fmt.Sscanf(sk, "E#%d#", &last); err != nil {
		return nil, fmt.Errorf("dynamodb: a row of events has a strange key: %w", err)
	}
	b, err := bodyOf(i["body"])
	if err != nil {
		return nil, err
	}
	all, err := s.load(ctx, i.str("pk"), sk, b, at)
	if err != nil {
		return nil, err
	}
	return decodeEvents(last, all)
}

// expired reports whether an item's time is over, though it may not be gone yet.
func (s *Store) expired(i item) bool { return i.has("ttl") && int64(i.num("ttl")) < s.now().Unix() }
