// Command turn works on one slice of an agent's turn for each message of the queue of turns.
package main

import (
	"github.com/interlude-a2a/interlude/functions/internal/deployment"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

func main() { deployment.Start(lambda.Turn, wire) }

func wire(d deployment.Deployment) (any, error) {
	worker, err := turn.New(turn.Options{
		Store: d.Store, Queue: d.Queue, Agent: &agenttest.Agent{}, Log: d.Log,
		Lease: d.Lease, Slice: d.Slice, Retention: d.Retention, Expire: d.Store,
	})
	if err != nil {
		return nil, err
	}
	return lambda.Batch{Parse: sqs.Parse, Handle: worker.Handle, Log: d.Log}.Handler(), nil
}
