package dynamodb_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// items are all items of a task.
func (b *bench) items(t testing.TB, k task.Key) (all []values) {
	t.Helper()
	for _, pk := range []string{dynamodb.TaskPartition(k), dynamodb.JournalPartition(k)} {
		condition := "pk = :pk"
		pages := sdk.NewQueryPaginator(b.client, &sdk.QueryInput{
			TableName: &b.table, KeyConditionExpression: &condition,
			ExpressionAttributeValues: values{":pk": &types.AttributeValueMemberS{Value: pk}},
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatalf("Query: %v", err)
			}
			all = append(all, page.Items...)
		}
	}
	return all
}

// ended is a finished task with rows of every kind.
func ended(t testing.TB, b *bench, id string) *story {
	s := accepted(t, b.store, id, strings.Repeat("w", dynamodb.MaxBody+1)).create().claim()
	s.step(task.Step{Rows: []task.Row{
		{Name: "small", Value: []byte("1")}, {Name: "a", Value: make([]byte, dynamodb.MaxBody+1)}, {Name: "b", Value: []byte("2")},
	}})
	return s.step(task.Step{Events: []task.Event{said(dynamodb.MaxTail)}}).fail()
}

// wantEnd fails unless all items of a task go at a time.
func (b *bench) wantEnd(t testing.TB, k task.Key, at time.Time) {
	t.Helper()
	for _, i := range b.items(t, k) {
		if got := number(t, i, "ttl"); int64(got) != at.Unix() {
			t.Errorf("%s: got ttl %d, want %d", keyOf(i), got, at.Unix())
		}
	}
}

// All rows of a finished task get one end, and the later call's holds.
func TestExpire(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := ended(t, b, "t1")
	for _, at := range []time.Time{start.Add(48 * time.Hour), start.Add(72 * time.Hour)} {
		if err := b.store.Expire(t.Context(), s.rec.Key, at); err != nil {
			t.Fatalf("Expire: %v", err)
		}
		b.wantEnd(t, s.rec.Key, at)
		s.check()
	}
	if n := len(b.items(t, s.rec.Key)); n < 8 {
		t.Errorf("items: got %d, want rows and parts of both partitions", n)
	}
}

// Whoever is cut off leaves a task without an end, and the next call gives it one.
func TestExpireCutOff(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := ended(t, b, "t1")
	items := len(b.items(t, s.rec.Key))
	at := start.Add(48 * time.Hour)
	for updates := range items {
		ctx, cancel := context.WithCancel(t.Context())
		left := updates
		client := between{Client: b.client, update: func() {
			if left--; left < 0 {
				cancel()
			}
		}}
		store := dynamodb.New(client, b.table, dynamodb.Options{Now: func() time.Time { return b.now }})
		if err := store.Expire(ctx, s.rec.Key, at); !errors.Is(err, context.Canceled) {
			t.Errorf("cut off after %d updates of %d: got %v, want context.Canceled", updates, items, err)
		}
		if b.header(t, s.rec.Key)["ttl"] != nil {
			t.Errorf("cut off after %d updates of %d: the task has an end", updates, items)
		}
	}
	if err := b.store.Expire(t.Context(), s.rec.Key, at); err != nil {
		t.Fatalf("Expire: %v", err)
	}
	b.wantEnd(t, s.rec.Key, at)
}

// What is added later has the same end.
func TestExpireThenRelieve(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := ended(t, b, "t1")
	at := start.Add(48 * time.Hour)
	if err := b.store.Expire(t.Context(), s.rec.Key, at); err != nil {
		t.Fatalf("Expire: %v", err)
	}
	c := task.StartPushes(s.rec, s.write())
	c.Rows = make([]task.Row, dynamodb.MaxRows+1) // which relieves the header of its tail
	for i := range c.Rows {
		c.Rows[i] = task.Row{Name: strings.Repeat("n", i+1)}
	}
	s.commit(c).check()
	b.wantEnd(t, s.rec.Key, at)
}

// A task that has more to do does not expire.
func TestExpireRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	live := created(t, b.store, "live").claim()
	owes := created(t, b.store, "owes").claim()
	owes.commit(task.StartPushes(owes.rec, owes.write())).fail()
	for _, s := range []*story{live, owes} {
		refused(t, s.rec.ID, b.store.Expire(t.Context(), s.rec.Key, start), s.rec)
		for _, i := range b.items(t, s.rec.Key) {
			if i["ttl"] != nil {
				t.Errorf("%s: %s has an end", s.rec.ID, keyOf(i))
			}
		}
	}
	missing := accepted(t, b.store, "missing", "Do it.")
	if err := b.store.Expire(t.Context(), missing.rec.Key, start); !errors.Is(err, task.ErrNotFound) {
		t.Errorf("missing: got %v, want ErrNotFound", err)
	}
}

// DynamoDB deletes what has expired days later. Until then it is as good as gone, and a task that
// gets its id has nothing of its (protocol rule 12).
func TestExpired(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	old := ended(t, b, "t1")
	at := start.Add(48 * time.Hour)
	if err := b.store.Expire(t.Context(), old.rec.Key, at); err != nil {
		t.Fatalf("Expire: %v", err)
	}
	list := func() []task.Listed {
		page, err := b.store.List(t.Context(), alice, task.Query{Limit: 9})
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		return page.Tasks
	}

	b.now = at // the last second
	old.check()
	again := accepted(t, b.store, "t1", "Do it again.")
	refused(t, "create in the last second", b.store.Create(t.Context(), again.rec, again.events), old.rec)
	if n := len(list()); n != 1 {
		t.Errorf("list in the last second: got %d tasks, want 1", n)
	}

	b.now = at.Add(time.Second)
	if _, _, err := b.store.Read(t.Context(), old.rec.Key, 0); !errors.Is(err, task.ErrNotFound) {
		t.Errorf("Read: got %v, want ErrNotFound", err)
	}
	diff(t, "list", nil, list())
	again.create().check().claim().check()
	again.step(task.Step{Rows: []task.Row{{Name: "b", Value: make([]byte, 2*dynamodb.MaxInline)}}}).check()
	again.step(task.Step{Events: []task.Event{said(dynamodb.MaxTail)}}).check()
	if b.header(t, again.rec.Key)["ttl"] != nil {
		t.Error("the new task has the old one's end")
	}
}
