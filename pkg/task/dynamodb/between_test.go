package dynamodb_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// between lets something happen after each read of an item, after each page of a query, which then
// has one item, and before each update.
type between struct {
	dynamodb.Client
	get, page, update func()
}

func (b between) GetItem(ctx context.Context, in *sdk.GetItemInput, o ...func(*sdk.Options)) (*sdk.GetItemOutput, error) {
	out, err := b.Client.GetItem(ctx, in, o...)
	if b.get != nil {
		b.get()
	}
	return out, err
}

func (b between) Query(ctx context.Context, in *sdk.QueryInput, o ...func(*sdk.Options)) (*sdk.QueryOutput, error) {
	page := *in
	if b.page != nil {
		page.Limit = aws.Int32(1)
		defer b.page()
	}
	return b.Client.Query(ctx, &page, o...)
}

func (b between) UpdateItem(ctx context.Context, in *sdk.UpdateItemInput, o ...func(*sdk.Options)) (*sdk.UpdateItemOutput, error) {
	if b.update != nil {
		b.update()
	}
	return b.Client.UpdateItem(ctx, in, o...)
}

// A task is read as of the moment that its header is, though events leave that while the rows of
// older ones are read (protocol rule 10).
func TestReadWhileEventsMove(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := created(t, b.store, "t1").claim()
	for range 2 {
		s.step(task.Step{Events: []task.Event{said(dynamodb.MaxTail)}})
	}
	s.step(task.Step{Events: []task.Event{said(1), said(2)}}) // these stand in the header
	rec, events := s.rec, s.events
	client := between{Client: b.client, page: func() { s.step(task.Step{Events: []task.Event{said(dynamodb.MaxTail)}}) }}
	gotRec, gotEvents, err := dynamodb.New(client, b.table, dynamodb.Options{}).Read(t.Context(), s.rec.Key, 0)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	diff(t, "record", rec, gotRec)
	diff(t, "events", events, gotEvents)
	s.check()
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
	client := between{Client: b.client, get: func() {
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
