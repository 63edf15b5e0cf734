// Command recover pokes tasks whose message was lost. A schedule runs it every minute.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	runtime "github.com/aws/aws-lambda-go/lambda"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/interlude-a2a/interlude/pkg/awsconfig"
	"github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

func main() {
	handler, err := open(os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "recover:", err)
		os.Exit(1)
	}
	runtime.Start(handler)
}

// open wires the function.
func open(getenv func(string) string) (lambda.ScheduleHandler, error) {
	c, err := lambda.ReadConfig(lambda.Recover, getenv)
	if err != nil {
		return nil, err
	}
	log := lambda.NewLog(os.Stdout, c.LogLevel)
	slog.SetDefault(log)
	cloud := awsconfig.New(awsconfig.Options{Region: getenv("AWS_REGION"), Endpoint: c.Endpoint, Getenv: getenv})
	store := dynamodb.New(awsdynamodb.NewFromConfig(cloud), c.Table, dynamodb.Options{})
	pokes := sqs.New(awssqs.NewFromConfig(cloud), c.QueueURL)
	return lambda.Scheduled(func(ctx context.Context) error {
		report, err := turn.Recover(ctx, store, pokes, time.Now(), c.RecoverLimit)
		if len(report.TookOver)+report.Skipped > 0 {
			log.InfoContext(ctx, "recovered", "tookOver", report.TookOver, "skipped", report.Skipped)
		}
		return err
	}, lambda.Options{Log: log}), nil
}
