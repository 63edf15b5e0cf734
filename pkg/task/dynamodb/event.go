package dynamodb

import (
	"encoding/json"
	"fmt"
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

func decodeEvent(seq uint64, b []byte) (task.Event, error) {
	var e event
	if err := json.Unmarshal(b, &e); err != nil {
		return task.Event{}, fmt.Errorf("dynamodb: read an event: %w", err)
	}
	return task.Event{Seq: seq, At: e.At, Message: e.Message, Status: e.Status, Artifact: e.Artifact}, nil
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

// tail are the newest events, which stand in the header. The last is number i.num("events").
func (i item) tail() [][]byte {
	var out [][]byte
	for _, v := range i.list("tail") {
		if b, ok := v.(*types.AttributeValueMemberB); ok {
			out = append(out, b.Value)
		}
	}
	return out
}
