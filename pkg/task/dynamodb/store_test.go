package dynamodb_test

import (
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/interlude-a2a/interlude/infra/emulator"
	"github.com/interlude-a2a/interlude/pkg/awsconfig"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
	"github.com/interlude-a2a/interlude/pkg/task/storetest"
)

// config is of an account of the test's own: in the emulator, or in what INTERLUDE_DYNAMODB names
// (make test-dynoxide).
func config(t testing.TB) aws.Config {
	t.Helper()
	if endpoint := os.Getenv("INTERLUDE_DYNAMODB"); endpoint != "" {
		return awsconfig.New(awsconfig.Options{Region: emulator.Region, Endpoint: endpoint, Getenv: func(string) string { return "test" }})
	}
	return emulator.Shared(t).Account()
}

// newTable makes a table and returns its name.
func newTable(t testing.TB, client *sdk.Client) string {
	t.Helper()
	name := "tasks-" + task.NewID()
	if _, err := client.CreateTable(t.Context(), dynamodb.Table(name)); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) storetest.Harness {
		client := sdk.NewFromConfig(config(t))
		table := newTable(t, client)
		open := func(t testing.TB) task.Store { return dynamodb.New(strict{client, t}, table, dynamodb.Options{}) }
		return storetest.Harness{Store: open(t), Reopen: open}
	})
}
