// Command clients is a function with the two clients that any on DynamoDB and SQS needs, and the
// calls that ours make.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

func main() {
	cfg := aws.Config{Region: os.Getenv("AWS_REGION")}
	tasks, pokes := dynamodb.NewFromConfig(cfg), sqs.NewFromConfig(cfg)
	lambda.Start(func(ctx context.Context) error {
		_, err := tasks.GetItem(ctx, &dynamodb.GetItemInput{})
		for _, call := range []func() error{
			func() error { _, err := tasks.Query(ctx, &dynamodb.QueryInput{}); return err },
			func() error { _, err := tasks.PutItem(ctx, &dynamodb.PutItemInput{}); return err },
			func() error { _, err := tasks.UpdateItem(ctx, &dynamodb.UpdateItemInput{}); return err },
			func() error { _, err := tasks.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{}); return err },
			func() error { _, err := pokes.SendMessage(ctx, &sqs.SendMessageInput{}); return err },
			func() error {
				_, err := pokes.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{})
				return err
			},
		} {
			if err == nil {
				err = call()
			}
		}
		return err
	})
}
