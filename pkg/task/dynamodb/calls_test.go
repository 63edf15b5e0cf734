package dynamodb_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// counter counts calls.
type counter struct {
	dynamodb.Client
	mu    sync.Mutex
	calls map[string]int
}

func (c *counter) count(call string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[string]int{}
	}
	c.calls[call]++
}

// take returns the calls since it was last called, as "Put 1, Query 2".
func (c *counter) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, call := range slices.Sorted(maps.Keys(c.calls)) {
		all = append(all, fmt.Sprintf("%s %d", call, c.calls[call]))
	}
	clear(c.calls)
	return strings.Join(all, ", ")
}

func (c *counter) PutItem(ctx context.Context, in *sdk.PutItemInput, o ...func(*sdk.Options)) (*sdk.PutItemOutput, error) {
	c.count("Put")
	return c.Client.PutItem(ctx, in, o...)
}

func (c *counter) UpdateItem(ctx context.Context, in *sdk.UpdateItemInput, o ...func(*sdk.Options)) (*sdk.UpdateItemOutput, error) {
	c.count("Update")
	return c.Client.UpdateItem(ctx, in, o...)
}

func (c *counter) GetItem(ctx context.Context, in *sdk.GetItemInput, o ...func(*sdk.Options)) (*sdk.GetItemOutput, error) {
	c.count("Get")
	return c.Client.GetItem(ctx, in, o...)
}

func (c *counter) Query(ctx context.Context, in *sdk.QueryInput, o ...func(*sdk.Options)) (*sdk.QueryOutput, error) {
	c.count("Query")
	return c.Client.Query(ctx, in, o...)
}

func (c *counter) TransactWriteItems(ctx context.Context, in *sdk.TransactWriteItemsInput, o ...func(*sdk.Options)) (*sdk.TransactWriteItemsOutput, error) {
	c.count("Transact")
	return c.Client.TransactWriteItems(ctx, in, o...)
}

// Each access pattern costs the calls that README.md says.
func TestCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	check := func(what, want string, err error) {
		t.Helper()
		if got := b.take(); err != nil || got != want {
			t.Errorf("%s: got %s, error %v, want %s", what, got, err, want)
		}
	}

	s := created(t, b.store, "t1")
	check("create", "Put 1", nil)
	accepted(t, b.store, "big", strings.Repeat("w", dynamodb.MaxTail)).create()
	check("create with a message that fits no header", "Get 1, Put 2", nil)
	repeat := accepted(t, b.store, "big", strings.Repeat("w", dynamodb.MaxTail))
	var refused *task.Refused
	if err := b.store.Create(ctx, repeat.rec, repeat.events); !errors.As(err, &refused) || refused.Current == nil {
		t.Errorf("create again: got %v, want what is there", err)
	}
	check("create again, R-11", "Get 1", nil) // nothing of it stays
	s.claim()
	check("claim", "Update 1", nil)
	wrong := created(t, b.store, "t2")
	b.take()
	_, err := b.store.Claim(ctx, wrong.rec.Key, wrong.claiming(), a2a.TaskStateWorking)
	check("claim with a wrong hint", "Update 2", err)
	check("renew", "Update 1", b.store.Renew(ctx, s.rec.Key, s.rec.RunGuard(), s.rec.Lease.Until))
	s.step(task.Step{Events: []task.Event{said(100)}, Rows: []task.Row{{Name: "a", Value: []byte("1")}}})
	check("small step", "Update 1", nil)
	_, _, err = b.store.Read(ctx, s.rec.Key, 0)
	check("read", "Query 1", err)
	_, _, err = b.store.Read(ctx, s.rec.Key, s.rec.Events)
	check("read of nothing new", "Query 1", err)
	for range b.store.Journal(ctx, s.rec.Key, "") {
	}
	check("journal in the header", "Get 1", nil)
	check("defer", "Update 1", b.store.Defer(ctx, task.Due{Key: s.rec.Key, Wake: s.rec.Wake}, s.rec.Wake))

	s.step(task.Step{Events: []task.Event{said(dynamodb.MaxTail - 300)}})
	check("step that finds the header full", "Transact 1, Update 1", nil)
	s.step(task.Step{Rows: []task.Row{{Name: "a", Value: make([]byte, 2*dynamodb.MaxInline)}}})
	check("step with a row that fits no header", "Transact 1", nil)
	for range b.store.Journal(ctx, s.rec.Key, "") {
	}
	check("journal beside the header", "Get 1, Query 1", nil)
	s.step(task.Step{Events: []task.Event{said(dynamodb.MaxTail)}})
	check("step with an event that fits no header", "Get 1, Transact 1", nil)
	s.step(task.Step{Rows: []task.Row{{Name: "b", Value: make([]byte, 2*dynamodb.MaxBody)}}})
	check("step with a row in two parts", "Get 1, Put 2, Transact 1", nil)
	_, _, err = b.store.Read(ctx, s.rec.Key, 0)
	check("read of rows", "Query 1", err)

	s.commit(task.StartPushes(s.rec, s.write()))
	check("start of pushes", "Update 1", nil)
	s.commit(s.finishing(0, message("q", "Do it."), message("a", "Done.")))
	check("completion", "Transact 1", nil)
	check("mark", "Query 1, Update 1", b.store.Mark(ctx, s.rec.Key, s.rec.Revision, s.rec.LastStatus))
	check("mark of less", "Query 1", b.store.Mark(ctx, s.rec.Key, s.rec.Revision, s.rec.LastStatus-1))
	_, err = b.store.Conversation(ctx, alice, "ctx", task.Latest)
	check("conversation", "Query 1", err)
	_, err = b.store.Conversation(ctx, alice, "ctx", 0)
	check("conversation before its first turn", "", err)
	for _, q := range []task.Query{{Limit: 2}, {Limit: 2, ContextID: "ctx"}, {Limit: 2, State: a2a.TaskStateWorking}} {
		_, err = b.store.List(ctx, alice, q)
		check("list", "Query 1", err)
	}
	for _, err = range b.store.Due(ctx, start.Add(time.Hour)) {
		if err != nil {
			break
		}
	}
	check("due", "Query 4", err)
}
