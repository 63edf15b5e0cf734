// Command empty is the least function: how small one gets, and how soon it starts.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"
)

func main() { lambda.Start(func(context.Context) error { return nil }) }
