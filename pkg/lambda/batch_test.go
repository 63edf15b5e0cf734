package lambda

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// The golden event has a poke, and a message of somebody else's.
func TestBatchOfGoldenEvent(t *testing.T) {
	t.Parallel()
	var e events.SQSEvent
	golden(t, "testdata/sqs.json", &e)
	var got queue.Delivery
	var log bytes.Buffer
	b := Batch{
		Parse:  sqs.Parse,
		Handle: func(_ context.Context, d queue.Delivery) bool { got = d; return true },
		Log:    slog.New(slog.NewTextHandler(&log, nil)),
	}
	out, err := b.Handler()(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	want := queue.Delivery{
		Poke:    queue.Poke{Key: task.Key{ID: "task-1"}, Hint: "TASK_STATE_SUBMITTED"},
		Receipt: "AQEBexample-one", Attempt: 3,
	}
	want.Poke.Key.Owner = "arn:aws:iam::123456789012:user/ann"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("delivery (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{e.Records[1].MessageId}, failed(out)); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if !strings.Contains(log.String(), e.Records[1].MessageId) || strings.Contains(log.String(), "hello") {
		t.Errorf("log: got %s, want the id and nothing of the content", &log)
	}
}

func TestBatchFailsRecordsByThemselves(t *testing.T) {
	t.Parallel()
	handle := func(_ context.Context, d queue.Delivery) bool {
		switch d.Poke.Key.ID {
		case "undone":
			return false
		case "panics":
			panic("no")
		}
		return true
	}
	for _, tt := range []struct{ messages, want []string }{
		{nil, nil},
		{[]string{"done"}, nil},
		{[]string{"done", "undone", "panics", "done", ""}, []string{"1", "2", "4"}},
	} {
		var e events.SQSEvent
		for i, id := range tt.messages {
			body := fmt.Sprintf(`{"key":{"id":%q}}`, id)
			e.Records = append(e.Records, events.SQSMessage{MessageId: fmt.Sprint(i), Body: body})
		}
		out, err := Batch{Parse: sqs.Parse, Handle: handle, Log: quiet.Log}.Handler()(t.Context(), e)
		if err != nil || !cmp.Equal(failed(out), tt.want) {
			t.Errorf("%q: got %q, %v, want %q", tt.messages, failed(out), err, tt.want)
		}
		if b, err := json.Marshal(out); err != nil || strings.Contains(string(b), "null") {
			t.Errorf("%q: got %s, %v, want a list", tt.messages, b, err)
		}
	}
}

// A batch's messages don't wait for one another.
func TestBatchIsHandledAtOnce(t *testing.T) {
	t.Parallel()
	var both sync.WaitGroup
	both.Add(2)
	b := Batch{
		Parse:  func(string) (queue.Poke, error) { return queue.Poke{}, nil },
		Handle: func(context.Context, queue.Delivery) bool { both.Done(); both.Wait(); return true },
	}
	e := events.SQSEvent{Records: []events.SQSMessage{{MessageId: "1"}, {MessageId: "2"}}}
	if out, err := b.Handler()(t.Context(), e); err != nil || len(out.BatchItemFailures) > 0 {
		t.Errorf("got %+v, %v, want both done", out, err)
	}
}

// What ends with its context has time for its last writes.
func TestContextsOfEventsEndBeforeTheInvocation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		b := Batch{
			Parse:  func(string) (queue.Poke, error) { return queue.Poke{}, nil },
			Handle: func(ctx context.Context, _ queue.Delivery) bool { <-ctx.Done(); return true },
		}
		if _, err := b.Handler()(ctx, events.SQSEvent{Records: []events.SQSMessage{{}}}); err != nil {
			t.Fatal(err)
		}
		if got, want := time.Since(start), time.Minute-reserve; got != want {
			t.Errorf("batch: the context ended after %v, want %v", got, want)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		if err := Scheduled(func(ctx context.Context) error { <-ctx.Done(); return nil }, quiet)(ctx, events.EventBridgeEvent{}); err != nil {
			t.Fatal(err)
		}
		if got, want := time.Since(start), time.Minute-reserve; got != want {
			t.Errorf("schedule: the context ended after %v, want %v", got, want)
		}
	})
}

func failed(out events.SQSEventResponse) (ids []string) {
	for _, f := range out.BatchItemFailures {
		ids = append(ids, f.ItemIdentifier)
	}
	return ids
}

func TestScheduled(t *testing.T) {
	t.Parallel()
	var e events.EventBridgeEvent
	golden(t, "testdata/schedule.json", &e)
	for name, tt := range map[string]struct {
		f    func(context.Context) error
		want error
	}{
		"works":  {func(context.Context) error { return nil }, nil},
		"fails":  {func(context.Context) error { return errors.New("the table is arn:1") }, errFailed},
		"panics": {func(context.Context) error { panic("no") }, errFailed},
	} {
		var log bytes.Buffer
		o := Options{Log: slog.New(slog.NewTextHandler(&log, nil))}
		if err := Scheduled(tt.f, o)(t.Context(), e); err != tt.want {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
		}
		if logged := log.Len() > 0; logged != (tt.want != nil) {
			t.Errorf("%s: logged %q", name, &log)
		}
	}
}
