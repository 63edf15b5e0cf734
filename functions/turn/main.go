// Command turn works on one slice of an agent's turn for each message of the queue of turns.
package main

import (
	"context"

	"github.com/interlude-a2a/interlude/functions/internal/deployment"
	"github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

func main() { deployment.Start(lambda.Turn, wire) }

func wire(d deployment.Deployment) (any, error) {
	agents, err := deployment.Files("agents")
	if err != nil {
		return nil, err
	}
	a, wake, err := openAgent(d, agents)
	if err != nil {
		return nil, err
	}
	worker, err := turn.New(turn.Options{
		Store: d.Store, Queue: d.Queue, Agent: a, Log: d.Log,
		Lease: d.Lease, Slice: d.Slice, Retention: d.Retention, Expire: d.Store,
	})
	if err != nil {
		return nil, err
	}
	handle := func(ctx context.Context, p queue.Delivery) bool {
		wake()
		return worker.Handle(ctx, p)
	}
	return lambda.Batch{Parse: sqs.Parse, Handle: handle, Log: d.Log}.Handler(), nil
}
