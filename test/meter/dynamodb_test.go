package meter

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/infra/emulator"
)

var table = aws.String("tasks")

// createTable has two sparse indexes, one that projects an attribute and one of keys only.
func createTable(t *testing.T, client *dynamodb.Client) {
	t.Helper()
	key := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange}}
	}
	var attributes []types.AttributeDefinition
	for _, name := range []string{"pk", "sk", "owner", "due", "live"} {
		attributes = append(attributes, types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS})
	}
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: table, BillingMode: types.BillingModePayPerRequest, AttributeDefinitions: attributes, KeySchema: key("pk", "sk"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{IndexName: aws.String("owner"), KeySchema: key("owner", "due"), Projection: &types.Projection{
				ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"note"}}},
			{IndexName: aws.String("live"), KeySchema: key("live", "due"), Projection: &types.Projection{
				ProjectionType: types.ProjectionTypeKeysOnly}},
		},
	})
	if err != nil {
		t.Fatalf("CreateTable: %v", err)
	}
}

func keyOf(sk string) item { return item{"pk": str("p"), "sk": str(sk)} }

// of is the item of that sort key, of one letter, and of n bytes altogether.
func of(sk string, n int) item {
	it := keyOf(sk)
	it["fat"] = str(strings.Repeat("x", n-9)) // pk, p, sk, its letter, fat
	return it
}

func indexed(sk, note string) item {
	it := keyOf(sk)
	it["owner"], it["due"], it["note"] = str("ann"), str("1"), str(note)
	return it
}

// op is one call, made of a client.
type op func(context.Context, *dynamodb.Client) error

func put(it item, condition *string) op {
	return func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: it, ConditionExpression: condition})
		return err
	}
}

// update sets or removes attributes that need no names.
func update(sk, expression, value string, condition *string) op {
	in := &dynamodb.UpdateItemInput{TableName: table, Key: keyOf(sk), UpdateExpression: &expression, ConditionExpression: condition}
	if value != "" {
		in.ExpressionAttributeValues = item{":v": str(value)}
	}
	return func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.UpdateItem(ctx, in)
		return err
	}
}

func remove(sk string, condition *string) op {
	return func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table, Key: keyOf(sk), ConditionExpression: condition})
		return err
	}
}

func transact(items ...types.TransactWriteItem) op {
	return func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
		return err
	}
}

func get(sk string, strong bool, projection *string) op {
	return func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: keyOf(sk), ConsistentRead: &strong, ProjectionExpression: projection})
		return err
	}
}

func query(in dynamodb.QueryInput) op {
	in.TableName = table
	return func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.Query(ctx, &in)
		return err
	}
}

// measure is the bill of f, made after the calls before.
func measure(t *testing.T, f op, before ...op) (Bill, error) {
	t.Helper()
	cfg := emulator.Shared(t).Account()
	plain := dynamodb.NewFromConfig(cfg)
	createTable(t, plain)
	for _, b := range before {
		if err := b(t.Context(), plain); err != nil {
			t.Fatalf("prepare: %v", err)
		}
	}
	m := New()
	m.Attach(&cfg)
	err := f(t.Context(), dynamodb.NewFromConfig(cfg))
	return m.Bill(), err
}
