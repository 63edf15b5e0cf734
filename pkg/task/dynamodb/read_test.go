package dynamodb

import (
	"errors"
	"slices"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Events come without gaps and up to the header's counter, whatever was found and however often
// (protocol rule 10).
func TestBetween(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		found       []uint64
		after, last uint64
		want        []uint64
		err         error
	}{
		{"all, newest first", []uint64{3, 2, 1}, 0, 3, []uint64{1, 2, 3}, nil},
		{"what was seen before", []uint64{3, 1, 2}, 2, 3, []uint64{3}, nil},
		{"nothing new", []uint64{1}, 1, 1, nil, nil},
		{"beyond the counter", []uint64{5, 4, 3, 2}, 1, 3, []uint64{2, 3}, nil},
		{"twice", []uint64{2, 1, 2, 1}, 0, 2, []uint64{1, 2}, nil},
		{"a gap", []uint64{3, 1}, 0, 3, nil, errGap},
		{"a gap, and others twice", []uint64{3, 1, 3}, 0, 3, nil, errGap},
		{"nothing found", nil, 0, 1, nil, errGap},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var found []task.Event
			for _, seq := range test.found {
				found = append(found, task.Event{Seq: seq})
			}
			events, err := between(found, test.after, test.last)
			var got []uint64
			for _, e := range events {
				got = append(got, e.Seq)
			}
			if !errors.Is(err, test.err) || !slices.Equal(got, test.want) {
				t.Errorf("got %d, %v, want %d, %v", got, err, test.want, test.err)
			}
		})
	}
}
