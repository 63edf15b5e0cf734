package bootstrap

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// serve delivers the queue's messages to a function until it has ended or the test does, as the
// event source of template.yaml: one at a time, and deleted only if they are done.
func (b *bed) serve(f *function) {
	ctx, cancel := context.WithCancel(f.ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			m := b.receive(ctx)
			if m == nil {
				continue
			}
			switch done, err := f.deliver(m); {
			case err != nil && ctx.Err() == nil:
				b.Errorf("deliver: %v", err)
			case done:
				b.delete(m)
			}
		}
	})
	b.Cleanup(func() {
		cancel()
		f.kill() // and with it a delivery under way
		wg.Wait()
	})
}

// receive waits for a message; nil: none came.
func (b *bed) receive(ctx context.Context) *types.Message {
	out, err := b.sqs.ReceiveMessage(ctx, &awssqs.ReceiveMessageInput{
		QueueUrl: b.queue, MaxNumberOfMessages: 1, WaitTimeSeconds: 1,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	if err != nil && ctx.Err() == nil {
		b.Errorf("receive: %v", err)
	}
	if err != nil || len(out.Messages) == 0 {
		return nil
	}
	return &out.Messages[0]
}

func (b *bed) delete(m *types.Message) {
	in := &awssqs.DeleteMessageInput{QueueUrl: b.queue, ReceiptHandle: m.ReceiptHandle}
	if _, err := b.sqs.DeleteMessage(context.Background(), in); err != nil {
		b.Errorf("delete: %v", err)
	}
}

// deliver gives a batch of one message to a function, which reports whether it is done.
func (f *function) deliver(m *types.Message) (done bool, err error) {
	id := aws.ToString(m.MessageId)
	_, body, err := f.invoke(events.SQSEvent{Records: []events.SQSMessage{{
		MessageId: id, ReceiptHandle: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body), Attributes: m.Attributes,
		EventSource: "aws:sqs", EventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:turns", AWSRegion: "eu-central-1",
	}}})
	if err != nil {
		return false, err
	}
	var reply events.SQSEventResponse
	if err := json.Unmarshal(body, &reply); err != nil || reply.BatchItemFailures == nil {
		return false, fmt.Errorf("the reply to a batch is %s: %w", body, err)
	}
	for _, failed := range reply.BatchItemFailures {
		if failed.ItemIdentifier != id {
			return false, fmt.Errorf("the reply to message %s is %s", id, body)
		}
	}
	return len(reply.BatchItemFailures) == 0, nil
}
