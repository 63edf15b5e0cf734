package sqs

import (
	"context"
	"errors"
	"testing"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/interlude-a2a/interlude/pkg/queue"
)

// fake notes what it is asked, answers receives with what it was given, and all else with err.
type fake struct {
	err      error
	answers  [][]types.Message // then receives fail
	sends    []*awssqs.SendMessageInput
	receives []*awssqs.ReceiveMessageInput
	extends  []*awssqs.ChangeMessageVisibilityInput
	deletes  []*awssqs.DeleteMessageInput
}

var errNoMore = errors.New("no more answers")

func (f *fake) SendMessage(_ context.Context, in *awssqs.SendMessageInput, _ ...func(*awssqs.Options)) (*awssqs.SendMessageOutput, error) {
	f.sends = append(f.sends, in)
	return &awssqs.SendMessageOutput{}, f.err
}

func (f *fake) ReceiveMessage(_ context.Context, in *awssqs.ReceiveMessageInput, _ ...func(*awssqs.Options)) (*awssqs.ReceiveMessageOutput, error) {
	f.receives = append(f.receives, in)
	if len(f.answers) == 0 {
		return nil, errNoMore
	}
	messages := f.answers[0]
	f.answers = f.answers[1:]
	return &awssqs.ReceiveMessageOutput{Messages: messages}, nil
}

func (f *fake) ChangeMessageVisibility(_ context.Context, in *awssqs.ChangeMessageVisibilityInput, _ ...func(*awssqs.Options)) (*awssqs.ChangeMessageVisibilityOutput, error) {
	f.extends = append(f.extends, in)
	return &awssqs.ChangeMessageVisibilityOutput{}, f.err
}

func (f *fake) DeleteMessage(_ context.Context, in *awssqs.DeleteMessageInput, _ ...func(*awssqs.Options)) (*awssqs.DeleteMessageOutput, error) {
	f.deletes = append(f.deletes, in)
	return &awssqs.DeleteMessageOutput{}, f.err
}

const url = "https://sqs.eu-central-1.amazonaws.com/123456789012/turns"

func named(tenant, owner string) queue.Poke {
	var p queue.Poke
	p.Key.Tenant, p.Key.Owner, p.Key.ID = tenant, owner, "t1.a"
	return p
}

// calls checks how often SQS was called in all.
func (f *fake) calls(t *testing.T, want int) {
	t.Helper()
	if got := len(f.sends) + len(f.receives) + len(f.extends) + len(f.deletes); got != want {
		t.Errorf("calls of SQS: got %d, want %d", got, want)
	}
}
