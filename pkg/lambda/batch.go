package lambda

import (
	"context"
	"log/slog"
	"strconv"
	"sync"

	"github.com/aws/aws-lambda-go/events"

	"github.com/interlude-a2a/interlude/pkg/queue"
)

// Batch handles the messages of an SQS event, each by itself and all at once: an event source that
// wants one at a time gives batches of one.
type Batch struct {
	// Parse reads a poke from a message's body. Its errors repeat nothing of it: they are logged.
	Parse func(body string) (queue.Poke, error)

	// Handle works on a delivery and reports whether it is done.
	Handle func(context.Context, queue.Delivery) (done bool)

	Log *slog.Logger // default slog.Default
}

// BatchHandler is what aws-lambda-go's Start takes for an event source of SQS that has
// ReportBatchItemFailures.
type BatchHandler func(context.Context, events.SQSEvent) (events.SQSEventResponse, error)

// Handler answers with the messages that are not done: they come back when their visibility ends,
// and the others are deleted. What is no poke, and what panics, is not done; a queue's dead letters
// get it in the end. The contexts of handlers end 3 s before the invocation.
func (b Batch) Handler() BatchHandler {
	if b.Log == nil {
		b.Log = slog.Default()
	}
	return func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		ctx, cancel := withReserve(ctx)
		defer cancel()
		done := make([]bool, len(event.Records))
		var wg sync.WaitGroup
		for i, m := range event.Records {
			wg.Go(func() { done[i] = b.one(ctx, m) })
		}
		wg.Wait()
		failures := []events.SQSBatchItemFailure{} // null would fail them all
		for i, m := range event.Records {
			if !done[i] {
				failures = append(failures, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
			}
		}
		return events.SQSEventResponse{BatchItemFailures: failures}, nil
	}
}

// one handles one message, without its panics.
func (b Batch) one(ctx context.Context, m events.SQSMessage) (done bool) {
	defer func() {
		if p := recover(); p != nil {
			report(ctx, b.Log, p) // and not done
		}
	}()
	poke, err := b.Parse(m.Body)
	if err != nil {
		b.Log.ErrorContext(ctx, "lambda: a message is no poke", "message", m.MessageId, "error", err)
		return false
	}
	return b.Handle(ctx, queue.Delivery{Poke: poke, Receipt: m.ReceiptHandle, Attempt: attempt(m)})
}

// attempt is how often SQS has given the message out, this time included.
func attempt(m events.SQSMessage) int {
	n, err := strconv.Atoi(m.Attributes["ApproximateReceiveCount"])
	if err != nil || n < 1 {
		return 1
	}
	return n
}
