package dynamodb_test

import (
	"context"
	"errors"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// between lets something happen after each read of an item, and before each update of one.
type between struct {
	dynamodb.Client
	read, update func()
}

func (b between) GetItem(ctx context.Context, in *sdk.GetItemInput, o ...func(*sdk.Options)) (*sdk.GetItemOutput, error) {
	out, err := b.Client.GetItem(ctx, in, o...)
	b.read()
	return out, err
}

func (b between) UpdateItem(ctx context.Context, in *sdk.UpdateItemInput, o ...func(*sdk.Options)) (*sdk.UpdateItemOutput, error) {
	b.update()
	return b.Client.UpdateItem(ctx, in, o...)
}

// A journal is read as of one moment, though rows move between the header and items of their own
// meanwhile: two that are written together come together.
func TestJournalWhileRowsMove(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := created(t, b.store, "t1").claim()
	big := func(v byte) []byte { return append(make([]byte, dynamodb.MaxInline), v) }
	both := func(v byte) {
		s.step(task.Step{Rows: []task.Row{{Name: "a", Value: big(v)}, {Name: "b", Value: []byte{v}}}})
	}
	both(1)
	s.step(task.Step{Rows: []task.Row{{Name: "b", Value: []byte{1}}}}) // b stands in the header, a doesn't

	moves := 0
	client := between{Client: b.client, read: func() {
		if moves--; moves >= 0 {
			both(2)
		}
	}}
	reader := dynamodb.New(client, b.table, dynamodb.Options{})
	for _, want := range []int{1, 4, 5} { // the last read of five is not too late
		moves = want
		got := map[string]string{}
		var err error
		for r, e := range reader.Journal(t.Context(), s.rec.Key, "") {
			got[r.Name], err = string(r.Value), e
		}
		if want == 5 {
			if !errors.Is(err, dynamodb.ErrMoved) {
				t.Errorf("rows that move at each read: got %v, want %v", err, dynamodb.ErrMoved)
			}
			continue
		}
		if err != nil {
			t.Fatalf("Journal: %v", err)
		}
		diff(t, "rows", s.rows, got)
	}
}

// A mark is made on the task as it is, however often that changes meanwhile.
func TestMarkWhileTaskChanges(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := created(t, b.store, "t1")
	s.commit(task.StartPushes(s.rec, s.write())).claim()
	read := s.rec.Revision
	changes := 3
	client := between{Client: b.client, update: func() {
		if changes--; changes >= 0 {
			s.step(task.Step{Events: []task.Event{said(1)}})
		}
	}}
	marker := dynamodb.New(client, b.table, dynamodb.Options{Now: func() time.Time { return b.now }})
	if err := marker.Mark(t.Context(), s.rec.Key, read, s.rec.LastStatus); err != nil {
		t.Fatalf("Mark: %v", err)
	}
	s.rec = s.rec.Marked(read, s.rec.LastStatus)
	s.check()
}
