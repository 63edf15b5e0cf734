package sqs

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/interlude-a2a/interlude/pkg/queue"
)

// poll is how long one call waits for messages. SQS would wait for 20 seconds, but a client of
// pkg/awsconfig takes an answer that is 5 seconds late for lost, and what it held with it.
const poll = 4 * time.Second

// Receive implements [queue.Queue]. It returns at most 10 messages. Fractions of a second of
// visibility count as a whole one. It is an error to ask for less than one message, or for a
// visibility that is negative or above 12 hours. When ctx ends in the middle of a call, what SQS
// was about to answer comes back once that visibility has ended.
func (q *Queue) Receive(ctx context.Context, max int, visible time.Duration) ([]queue.Delivery, error) {
	if max < 1 {
		return nil, fmt.Errorf("sqs: cannot receive %d messages", max)
	}
	seconds, err := wholeSeconds("visibility", visible, maxVisible)
	if err != nil {
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out, err := q.client.ReceiveMessage(ctx, &awssqs.ReceiveMessageInput{
			QueueUrl:                    &q.url,
			MaxNumberOfMessages:         int32(min(max, maxReceive)),
			VisibilityTimeout:           seconds,
			WaitTimeSeconds:             wait(ctx),
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameApproximateReceiveCount},
		})
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("sqs: receive: %w", err)
		}
		if ds := deliveries(ctx, out.Messages); len(ds) > 0 {
			return ds, nil
		}
	}
}

// wait is poll in seconds, or what is left of ctx.
func wait(ctx context.Context) int32 {
	left := poll
	if end, ok := ctx.Deadline(); ok {
		left = min(poll, time.Until(end))
	}
	return int32((left + time.Second - 1) / time.Second)
}

// deliveries are the pokes among messages.
func deliveries(ctx context.Context, messages []types.Message) []queue.Delivery {
	var ds []queue.Delivery
	for _, m := range messages {
		p, err := Parse(aws.ToString(m.Body))
		if err != nil {
			slog.ErrorContext(ctx, "sqs: left a message to the dead letters", "message", aws.ToString(m.MessageId), "error", err)
			continue
		}
		ds = append(ds, queue.Delivery{Poke: p, Receipt: aws.ToString(m.ReceiptHandle), Attempt: attempt(m)})
	}
	return ds
}

// attempt is how often m was received; 1 if SQS does not say.
func attempt(m types.Message) int {
	n, err := strconv.Atoi(m.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)])
	if err != nil {
		return 1
	}
	return n
}
