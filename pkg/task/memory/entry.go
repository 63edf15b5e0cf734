package memory

import (
	"container/list"
	"encoding/json"
	"fmt"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// entry is one task: its record, events and rows, encoded, and what the indexes sort and select by.
type entry struct {
	key       task.Key
	contextID string
	record    []byte
	events    [][]byte // the event of number n stands at n-1
	rows      map[string][]byte
	said      []task.Text // of the newest run that said something

	at      time.Time // of the status
	state   a2a.TaskState
	wake    time.Time
	listed  bool
	done    bool          // finished, and nothing is owed
	element *list.Element // in the finished ones
}

// current is a copy of the record.
func (e *entry) current() (*task.Record, error) {
	r := new(task.Record)
	if err := json.Unmarshal(e.record, r); err != nil {
		return nil, fmt.Errorf("memory: read a record: %w", err)
	}
	return r, nil
}

// after is a copy of the events numbered above n.
func (e *entry) after(n uint64) ([]task.Event, error) {
	n = min(n, uint64(len(e.events)))
	events := make([]task.Event, 0, uint64(len(e.events))-n)
	for _, b := range e.events[n:] {
		var event task.Event
		if err := json.Unmarshal(b, &event); err != nil {
			return nil, fmt.Errorf("memory: read an event: %w", err)
		}
		events = append(events, event)
	}
	return events, nil
}

func encode(v any) ([]byte, error) {
	b, err := a2a.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("memory: encode: %w", err)
	}
	return b, nil
}

func encodeEach[T any](values []T) ([][]byte, error) {
	encoded := make([][]byte, len(values))
	for i, v := range values {
		var err error
		if encoded[i], err = encode(v); err != nil {
			return nil, err
		}
	}
	return encoded, nil
}
