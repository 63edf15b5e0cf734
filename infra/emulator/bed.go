package emulator

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// Bed is a table of tasks and a queue of turns, in an account of their own.
type Bed struct {
	Config   aws.Config
	Table    string
	QueueURL string
}

// NewBed makes one.
func (e *Emulator) NewBed(ctx context.Context) (Bed, error) {
	b := Bed{Config: e.Account(), Table: "tasks"}
	if _, err := awsdynamodb.NewFromConfig(b.Config).CreateTable(ctx, dynamodb.Table(b.Table)); err != nil {
		return b, err
	}
	made, err := awssqs.NewFromConfig(b.Config).CreateQueue(ctx, &awssqs.CreateQueueInput{QueueName: aws.String("turns")})
	if err != nil {
		return b, err
	}
	b.QueueURL = *made.QueueUrl
	return b, nil
}
