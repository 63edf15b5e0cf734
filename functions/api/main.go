// Command api serves A2A, by JSON-RPC and HTTP+JSON, and the agent's card, behind API Gateway.
package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"

	runtime "github.com/aws/aws-lambda-go/lambda"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/awsconfig"
	"github.com/interlude-a2a/interlude/pkg/binding"
	"github.com/interlude-a2a/interlude/pkg/card"
	"github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/parameter"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

func main() {
	handler, err := open(os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
	runtime.Start(handler)
}

// open wires the function.
func open(getenv func(string) string) (any, error) {
	c, err := lambda.ReadConfig(lambda.API, getenv)
	if err != nil {
		return nil, err
	}
	log := lambda.NewLog(os.Stdout, c.LogLevel)
	slog.SetDefault(log)
	cloud := awsconfig.New(awsconfig.Options{Region: getenv("AWS_REGION"), Endpoint: c.Endpoint, Getenv: getenv})
	options := server.Options{
		Store:         dynamodb.New(awsdynamodb.NewFromConfig(cloud), c.Table, dynamodb.Options{}),
		Queue:         sqs.New(awssqs.NewFromConfig(cloud), c.QueueURL),
		Secret:        parameter.New(cloud, c.SecretParameter).Get,
		Authenticator: c.Authenticator(),
		BlockingWait:  c.BlockingWait,
		Log:           log,
	}
	serve := func(url string) (http.Handler, error) {
		built, err := card.Build(agenttest.Card, card.Options{URL: url})
		if err != nil {
			return nil, err
		}
		so := options
		so.Card = built.Value()
		s, err := server.New(so)
		if err != nil {
			return nil, err
		}
		return binding.New(s, built), nil
	}
	o := lambda.Options{Log: log}
	mounted, err := lambda.Mount(c.PublicURL, serve, o)
	if err != nil {
		return nil, err
	}
	return c.Handler(mounted, o), nil
}
