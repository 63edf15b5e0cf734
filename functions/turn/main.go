// Command turn works on one slice of an agent's turn for each message of the queue of turns.
package main

import (
	"fmt"
	"log/slog"
	"os"

	runtime "github.com/aws/aws-lambda-go/lambda"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/awsconfig"
	"github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

func main() {
	handler, err := open(os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "turn:", err)
		os.Exit(1)
	}
	runtime.Start(handler)
}

// open wires the function.
func open(getenv func(string) string) (lambda.BatchHandler, error) {
	c, err := lambda.ReadConfig(lambda.Turn, getenv)
	if err != nil {
		return nil, err
	}
	log := lambda.NewLog(os.Stdout, c.LogLevel)
	slog.SetDefault(log)
	cloud := awsconfig.New(awsconfig.Options{Region: getenv("AWS_REGION"), Endpoint: c.Endpoint, Getenv: getenv})
	store := dynamodb.New(awsdynamodb.NewFromConfig(cloud), c.Table, dynamodb.Options{})
	worker, err := turn.New(turn.Options{
		Store:     store,
		Queue:     sqs.New(awssqs.NewFromConfig(cloud), c.QueueURL),
		Agent:     &agenttest.Agent{},
		Lease:     c.Lease,
		Slice:     c.Slice,
		Retention: c.Retention,
		Expire:    store,
		Log:       log,
	})
	if err != nil {
		return nil, err
	}
	return lambda.Batch{Parse: sqs.Parse, Handle: worker.Handle, Log: log}.Handler(), nil
}
