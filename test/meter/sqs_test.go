package meter

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/infra/emulator"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
	"github.com/interlude-a2a/interlude/pkg/task"
)

func TestRequests(t *testing.T) {
	t.Parallel()
	send := func(n int, group *string) any {
		return &awssqs.SendMessageInput{MessageBody: aws.String(strings.Repeat("x", n)), MessageGroupId: group}
	}
	entry := func(n int, group *string) types.SendMessageBatchRequestEntry {
		return types.SendMessageBatchRequestEntry{MessageBody: aws.String(strings.Repeat("x", n)), MessageGroupId: group}
	}
	received := &awssqs.ReceiveMessageOutput{Messages: []types.Message{{Body: aws.String(strings.Repeat("x", 65536))}, {Body: aws.String("x")}}}
	group := aws.String("g")
	for _, test := range []struct {
		name      string
		in, out   any
		all, fair int
	}{
		{"send", send(1, nil), nil, 1, 0},
		{"send, fair", send(1, group), nil, 1, 1},
		{"send 64 KB", send(65536, nil), nil, 1, 0},
		{"send a byte more, fair", send(65537, group), nil, 2, 2},
		{"send a batch", &awssqs.SendMessageBatchInput{Entries: []types.SendMessageBatchRequestEntry{entry(65536, nil), entry(1, nil)}}, nil, 2, 0},
		{"send a batch, fair", &awssqs.SendMessageBatchInput{Entries: []types.SendMessageBatchRequestEntry{entry(1, group), entry(1, group)}}, nil, 1, 1},
		{"receive nothing", &awssqs.ReceiveMessageInput{}, &awssqs.ReceiveMessageOutput{}, 1, 0},
		{"receive, failed", &awssqs.ReceiveMessageInput{}, nil, 1, 0},
		{"receive", &awssqs.ReceiveMessageInput{}, received, 2, 0},
		{"delete", &awssqs.DeleteMessageInput{}, nil, 1, 0},
	} {
		all, fair := requests(test.in, test.out)
		if all != test.all || fair != test.fair {
			t.Errorf("%s: got %d requests, %d fair, want %d, %d", test.name, all, fair, test.all, test.fair)
		}
	}
}

// What a poke costs on its way: four calls, of which the first is the sender's.
func TestPoke(t *testing.T) {
	t.Parallel()
	cfg := emulator.Shared(t).Account()
	made, err := awssqs.NewFromConfig(cfg).CreateQueue(t.Context(), &awssqs.CreateQueueInput{QueueName: aws.String("turns")})
	if err != nil {
		t.Fatal(err)
	}
	m := New()
	m.Attach(&cfg)
	if err := travel(t.Context(), sqs.New(awssqs.NewFromConfig(cfg), *made.QueueUrl)); err != nil {
		t.Fatal(err)
	}
	want := Bill{Calls: map[string]int{
		"SQS.SendMessage": 1, "SQS.ReceiveMessage": 1, "SQS.ChangeMessageVisibility": 1, "SQS.DeleteMessage": 1,
	}, SQS: 4, Fair: 1}
	if diff := cmp.Diff(want, m.Bill()); diff != "" {
		t.Errorf("bill (-want +got):\n%s", diff)
	}
	m.Reset()
	if diff := cmp.Diff(Bill{}, m.Bill()); diff != "" {
		t.Errorf("bill after Reset (-want +got):\n%s", diff)
	}
}

func travel(ctx context.Context, q queue.Queue) error {
	p := queue.Poke{Key: task.Key{Scope: task.Scope{Tenant: "acme"}, ID: "t1.a"}}
	if err := q.Send(ctx, p, 0); err != nil {
		return err
	}
	ds, err := q.Receive(ctx, 1, time.Minute)
	if err != nil {
		return err
	}
	if err := q.Extend(ctx, ds[0].Receipt, time.Minute); err != nil {
		return err
	}
	return q.Delete(ctx, ds[0].Receipt)
}
