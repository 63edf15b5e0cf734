// Command turn is the function of turns without the harness: what that adds is measured against it.
package main

import (
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/awsconfig"
	settings "github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

func main() {
	c, err := settings.ReadConfig(settings.Turn, os.Getenv)
	if err != nil {
		panic(err)
	}
	cloud := awsconfig.New(awsconfig.Options{Region: os.Getenv("AWS_REGION"), Endpoint: c.Endpoint, Getenv: os.Getenv})
	store := dynamodb.New(awsdynamodb.NewFromConfig(cloud), c.Table, dynamodb.Options{})
	w, err := turn.New(turn.Options{Store: store, Queue: sqs.New(awssqs.NewFromConfig(cloud), c.QueueURL), Agent: &agenttest.Agent{}})
	if err != nil {
		panic(err)
	}
	lambda.Start(settings.Batch{Parse: sqs.Parse, Handle: w.Handle, Log: slog.Default()}.Handler())
}
