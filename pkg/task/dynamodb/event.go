package dynamodb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// event is a [task.Event] as it is kept: its number follows from where it stands.
type event struct {
	At       time.Time       `json:"at"`
	Message  *a2a.Message    `json:"message,omitempty"`
	Status   *a2a.TaskStatus `json:"status,omitempty"`
	Artifact *task.Piece     `json:"artifact,omitempty"`
}

// encodeEvents returns each event as JSON.
func encodeEvents(events []task.Event) ([][]byte, error) {
	out := make([][]byte, len(events))
	for n, e := range events {
		b, err := a2a.Marshal(event{At: e.At, Message: e.Message, Status: e.Status, Artifact: e.Artifact})
		if err != nil {
			return nil, fmt.Errorf("dynamodb: encode an event: %w", err)
		}
		out[n] = b
	}
	return out, nil
}

// joined are encoded events as one JSON array.
func joined(events [][]byte) []byte {
	return slices.Concat([]byte("["), bytes.Join(events, []byte(",")), []byte("]"))
}

// decodeEvents reads what joined made of events the last of which has a number.
func decodeEvents(last uint64, b []byte) ([]task.Event, error) {
	var kept []event
	if err := json.Unmarshal(b, &kept); err != nil {
		return nil, fmt.Errorf("dynamodb: read events: %w", err)
	}
	events := make([]task.Event, len(kept))
	for n, e := range kept {
		events[n] = task.Event{
			Seq: last - uint64(len(kept)-1-n), At: e.At, Message: e.Message, Status: e.Status, Artifact: e.Artifact,
		}
	}
	return events, nil
}

// total is how many bytes all have together.
func total(all [][]byte) int {
	n := 0
	for _, b := range all {
		n += len(b)
	}
	return n
}

func bins(all [][]byte) []types.AttributeValue {
	out := make([]types.AttributeValue, len(all))
	for i, b := range all {
		out[i] = bin(b)
	}
	return out
}

// tail are the newest events, which stand in the header.
func (i item) tail() [][]byte {
	var out [][]byte
	for _, v := range i.list("tail") {
		if b, ok := v.(*types.AttributeValueMemberB); ok {
			out = append(out, b.Value)
		}
	}
	return out
}
