package sqs

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/queue"
)

func message(body, count string) types.Message {
	return types.Message{
		Body:          &body,
		MessageId:     aws.String("m"),
		ReceiptHandle: aws.String("r" + count),
		Attributes:    map[string]string{"ApproximateReceiveCount": count},
	}
}

const poked = `{"key":{"owner":"ann","id":"t1.a"}}`

func TestReceive(t *testing.T) {
	t.Parallel()
	f := &fake{answers: [][]types.Message{nil, {message(poked, "1"), message(poked, "12"), {Body: aws.String(poked)}}}}
	got, err := New(f, url).Receive(t.Context(), 25, time.Minute)
	if err != nil {
		t.Fatalf("Receive: %v", err)
	}
	p := named("", "ann")
	want := []queue.Delivery{{Poke: p, Receipt: "r1", Attempt: 1}, {Poke: p, Receipt: "r12", Attempt: 12}, {Poke: p, Attempt: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	f.calls(t, 2) // one that found nothing
	for _, in := range f.receives {
		if in.MaxNumberOfMessages != 10 || in.WaitTimeSeconds != 4 || aws.ToString(in.QueueUrl) != url {
			t.Errorf("asked %s for %d messages within %d s, want %s, 10, 4", aws.ToString(in.QueueUrl), in.MaxNumberOfMessages, in.WaitTimeSeconds, url)
		}
		if diff := cmp.Diff([]types.MessageSystemAttributeName{"ApproximateReceiveCount"}, in.MessageSystemAttributeNames); diff != "" {
			t.Errorf("asked for attributes (-want +got):\n%s", diff)
		}
	}
}

// A wait that outlasts its context would take messages for nobody.
func TestReceiveWaitsNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		f := &fake{}
		if _, err := New(f, url).Receive(ctx, 1, 0); !errors.Is(err, errNoMore) {
			t.Errorf("Receive: got %v, want %v", err, errNoMore)
		}
		if got := f.receives[0].WaitTimeSeconds; got != 3 {
			t.Errorf("WaitTimeSeconds: got %d, want 3", got)
		}
	})
}

func TestReceiveAfterItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := &fake{}
	if _, err := New(f, url).Receive(ctx, 1, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Receive: got %v, want %v", err, context.Canceled)
	}
	f.calls(t, 0)
}

// What is no poke is not handed on or deleted, hides nothing, and is not repeated in the log.
func TestReceiveNoPoke(t *testing.T) { // not parallel: it replaces the log
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)

	f := &fake{answers: [][]types.Message{{message("secret", "1")}, {message(`{"key":{"owner":"secret"}}`, "1"), message(poked, "2")}}}
	got, err := New(f, url).Receive(t.Context(), 10, time.Minute)
	if err != nil {
		t.Fatalf("Receive: %v", err)
	}
	want := []queue.Delivery{{Poke: named("", "ann"), Receipt: "r2", Attempt: 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	f.calls(t, 2) // nothing was deleted
	if n := strings.Count(log.String(), "message=m"); n != 2 || strings.Contains(log.String(), "secret") {
		t.Errorf("the log names %d messages, want 2 and no content:\n%s", n, log.String())
	}
}
