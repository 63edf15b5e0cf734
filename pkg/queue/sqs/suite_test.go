package sqs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/interlude-a2a/interlude/infra/emulator"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/queuetest"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
)

const maxReceive = 3

// TestSuite runs in real time, since that is the emulator's. The emulator knows group ids and
// takes no turns by them.
func TestSuite(t *testing.T) {
	t.Parallel()
	e := emulator.Shared(t)
	queuetest.Run(t, func(t *testing.T, test func(*testing.T, queuetest.Harness)) {
		client := awssqs.NewFromConfig(e.Account())
		dead := create(t, client, "dead", nil)
		url := create(t, client, "turns", map[string]string{
			"RedrivePolicy": fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":%d}`, arn(t, client, dead), maxReceive),
		})
		test(t, queuetest.Harness{
			Queue:       sqs.New(client, url),
			MaxReceive:  maxReceive,
			DeadLetters: func(t *testing.T) []queue.Poke { return deadLetters(t, client, dead) },
			Advance:     time.Sleep,
			Restart:     func(*testing.T) queue.Queue { return sqs.New(client, url) },
			Abandons:    true,
		})
	})
}

func create(t *testing.T, client *awssqs.Client, name string, attributes map[string]string) (url string) {
	t.Helper()
	out, err := client.CreateQueue(t.Context(), &awssqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		t.Fatalf("CreateQueue: %v", err)
	}
	return *out.QueueUrl
}

func arn(t *testing.T, client *awssqs.Client, url string) string {
	t.Helper()
	out, err := client.GetQueueAttributes(t.Context(), &awssqs.GetQueueAttributesInput{
		QueueUrl:       &url,
		AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil {
		t.Fatalf("GetQueueAttributes: %v", err)
	}
	return out.Attributes[string(types.QueueAttributeNameQueueArn)]
}

func deadLetters(t *testing.T, client *awssqs.Client, url string) []queue.Poke {
	t.Helper()
	out, err := client.ReceiveMessage(t.Context(), &awssqs.ReceiveMessageInput{QueueUrl: &url, MaxNumberOfMessages: 10})
	if err != nil {
		t.Fatalf("ReceiveMessage: %v", err)
	}
	var pokes []queue.Poke
	for _, m := range out.Messages {
		p, err := sqs.Parse(aws.ToString(m.Body))
		if err != nil {
			t.Fatalf("Parse: %v", err)
		}
		pokes = append(pokes, p)
	}
	return pokes
}
