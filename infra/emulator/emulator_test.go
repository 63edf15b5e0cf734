package emulator_test

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/interlude-a2a/interlude/infra/emulator"
)

// Tests run side by side, so no account may see another's queues.
func TestAccountsAreApart(t *testing.T) {
	t.Parallel()
	e := emulator.Shared(t)
	one, other := sqs.NewFromConfig(e.Account()), sqs.NewFromConfig(e.Account())
	if _, err := one.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("turns")}); err != nil {
		t.Fatal(err)
	}
	for client, want := range map[*sqs.Client]int{one: 1, other: 0} {
		got, err := client.ListQueues(t.Context(), &sqs.ListQueuesInput{})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.QueueUrls) != want {
			t.Errorf("got queues %v, want %d", got.QueueUrls, want)
		}
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	emulator.Shared(t) // skips without the tools
	e, err := emulator.Start(t.Context(), emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e.Stop()
	if resp, err := http.Get(e.Endpoint); err == nil {
		resp.Body.Close()
		t.Error("the emulator still answers after Stop")
	}
}
