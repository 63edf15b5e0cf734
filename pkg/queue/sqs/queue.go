package sqs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/interlude-a2a/interlude/pkg/queue"
)

// The limits of SQS.
const (
	maxDelay   = 15 * time.Minute
	maxVisible = 12 * time.Hour
	maxReceive = 10 // messages of one call
)

// Client is what a [Queue] needs of a client of SQS. [awssqs.Client] is one.
type Client interface {
	SendMessage(context.Context, *awssqs.SendMessageInput, ...func(*awssqs.Options)) (*awssqs.SendMessageOutput, error)
	ReceiveMessage(context.Context, *awssqs.ReceiveMessageInput, ...func(*awssqs.Options)) (*awssqs.ReceiveMessageOutput, error)
	ChangeMessageVisibility(context.Context, *awssqs.ChangeMessageVisibilityInput, ...func(*awssqs.Options)) (*awssqs.ChangeMessageVisibilityOutput, error)
	DeleteMessage(context.Context, *awssqs.DeleteMessageInput, ...func(*awssqs.Options)) (*awssqs.DeleteMessageOutput, error)
}

// Queue is a [queue.Queue] on SQS. It holds nothing but its client.
type Queue struct {
	client Client
	url    string
}

var _ queue.Queue = (*Queue)(nil)

// New makes the queue of that URL. Nobody is called: whether it exists, the first call tells.
func New(client Client, queueURL string) *Queue {
	return &Queue{client: client, url: queueURL}
}

// Send implements [queue.Sender]. Fractions of a second of delay count as a whole one. A delay
// that is negative or above 15 minutes is an error.
func (q *Queue) Send(ctx context.Context, p queue.Poke, delay time.Duration) error {
	seconds, err := wholeSeconds("delay", delay, maxDelay)
	if err != nil {
		return err
	}
	text, err := body(p)
	if err != nil {
		return err
	}
	_, err = q.client.SendMessage(ctx, &awssqs.SendMessageInput{
		QueueUrl:       &q.url,
		MessageBody:    &text,
		MessageGroupId: groupID(p.Group()),
		DelaySeconds:   seconds,
	})
	if err != nil {
		return fmt.Errorf("sqs: send: %w", err)
	}
	return nil
}

// groupID is the message group id of a group; nil for none. A message without one is a group of
// its own.
func groupID(group string) *string {
	if group == "" {
		return nil
	}
	h := sha256.Sum256([]byte(group))
	return aws.String(hex.EncodeToString(h[:16]))
}

// Extend implements [queue.Extender]. SQS keeps a receipt for as long as its message is in flight,
// so one whose visibility ended may be [queue.ErrGone] before another receives the message.
// Fractions of a second count as a whole one. A visibility of 0 gives the message back at once;
// one that is negative or above 12 hours, counted from the receive, is an error.
func (q *Queue) Extend(ctx context.Context, receipt string, visible time.Duration) error {
	seconds, err := wholeSeconds("visibility", visible, maxVisible)
	if err != nil {
		return err
	}
	if receipt == "" { // which SQS takes for a mistake
		return queue.ErrGone
	}
	_, err = q.client.ChangeMessageVisibility(ctx, &awssqs.ChangeMessageVisibilityInput{
		QueueUrl:          &q.url,
		ReceiptHandle:     &receipt,
		VisibilityTimeout: seconds,
	})
	switch {
	case gone(err):
		return queue.ErrGone
	case err != nil:
		return fmt.Errorf("sqs: extend: %w", err)
	}
	return nil
}

// Delete implements [queue.Queue].
func (q *Queue) Delete(ctx context.Context, receipt string) error {
	if receipt == "" { // which SQS takes for a mistake
		return nil
	}
	_, err := q.client.DeleteMessage(ctx, &awssqs.DeleteMessageInput{
		QueueUrl:      &q.url,
		ReceiptHandle: &receipt,
	})
	if err != nil && !gone(err) {
		return fmt.Errorf("sqs: delete: %w", err)
	}
	return nil
}

// wholeSeconds is d in seconds, rounded up.
func wholeSeconds(what string, d, limit time.Duration) (int32, error) {
	if d < 0 || d > limit {
		return 0, fmt.Errorf("sqs: a %s of %v is not between 0 and %v", what, d, limit)
	}
	return int32((d + time.Second - 1) / time.Second), nil
}
