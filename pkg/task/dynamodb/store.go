package dynamodb

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Client is what the store needs of a DynamoDB client. There is no Scan.
type Client interface {
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
}

// Store is a [task.Store] in a table that [Table] describes. It is safe for concurrent use.
type Store struct {
	db    Client
	table *string
	now   func() time.Time
}

var _ task.Store = (*Store)(nil)

// Options configure a [Store].
type Options struct {
	Now func() time.Time // tells what has expired; default time.Now
}

// New is the store in a table. Nobody is called.
func New(db Client, table string, o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{db: db, table: &table, now: o.Now}
}
