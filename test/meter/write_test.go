package meter

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestWriteUnits(t *testing.T) {
	t.Parallel()
	exists, absent := aws.String("attribute_exists(pk)"), aws.String("attribute_not_exists(pk)")
	putInTransaction := func(it item, condition *string) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{TableName: table, Item: it, ConditionExpression: condition}}
	}
	check := func(sk string, condition *string) types.TransactWriteItem {
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: table, Key: keyOf(sk), ConditionExpression: condition}}
	}
	batch := func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*table: {
			{PutRequest: &types.PutRequest{Item: of("a", 1025)}}, {PutRequest: &types.PutRequest{Item: of("b", 100)}},
		}}})
		return err
	}
	for _, test := range []struct {
		name    string
		before  []op
		op      op
		want    float64
		refused bool
	}{
		{"put 1 KB", nil, put(of("a", 1024), nil), 1, false},
		{"put a byte more", nil, put(of("a", 1025), nil), 2, false},
		{"put over a larger one", []op{put(of("a", 3000), nil)}, put(of("a", 100), nil), 3, false},
		{"put, refused, over a larger one", []op{put(of("a", 3000), nil)}, put(of("a", 100), absent), 3, true},
		{"put, refused, over a smaller one", []op{put(of("a", 100), nil)}, put(of("a", 3000), absent), 3, true},

		{"update to smaller", []op{put(of("a", 3000), nil)}, update("a", "SET fat = :v", "x", nil), 3, false},
		{"update to larger", []op{put(of("a", 100), nil)}, update("a", "SET fat = :v", strings.Repeat("x", 3000), nil), 3, false},
		{"update, refused", []op{put(of("a", 3000), nil)}, update("a", "SET fat = :v", "x", absent), 3, true},
		{"update of nothing, refused", nil, update("a", "SET fat = :v", "x", exists), 1, true},

		{"delete", []op{put(of("a", 3000), nil)}, remove("a", nil), 3, false},
		{"delete nothing", nil, remove("a", nil), 1, false},
		{"delete, refused", []op{put(of("a", 3000), nil)}, remove("a", absent), 3, true},

		{"put into an index", nil, put(indexed("a", "s"), nil), 1 + 1, false},
		{"put 2 KB into an index", nil, put(indexed("a", strings.Repeat("s", 2000)), nil), 2 + 2, false},
		{"put, refused, writes no index", []op{put(indexed("a", "s"), nil)}, put(indexed("a", "x"), absent), 1, true},
		{"change what no index projects", []op{put(indexed("a", "s"), nil)}, update("a", "SET fat = :v", "x", nil), 1, false},
		{"change what an index projects", []op{put(indexed("a", "s"), nil)}, update("a", "SET note = :v", "x", nil), 1 + 1, false},
		{"change an index key", []op{put(indexed("a", "s"), nil)}, update("a", "SET due = :v", "2", nil), 1 + 2, false},
		{"enter another index", []op{put(indexed("a", "s"), nil)}, update("a", "SET live = :v", "1", nil), 1 + 1, false},
		{"leave an index", []op{put(indexed("a", "s"), nil)}, update("a", "REMOVE due", "", nil), 1 + 1, false},
		{"delete from an index", []op{put(indexed("a", "s"), nil)}, remove("a", nil), 1 + 1, false},

		{"transaction", nil, transact(putInTransaction(of("a", 1025), nil), putInTransaction(of("b", 100), nil)), 2 * (2 + 1), false},
		{"transaction into an index", nil, transact(putInTransaction(indexed("a", "s"), nil)), 2*1 + 1, false},
		{"transaction with a check", []op{put(of("c", 3000), nil)}, transact(putInTransaction(of("a", 100), nil), check("c", exists)), 2 * (1 + 3), false},
		{"transaction, refused", []op{put(of("c", 3000), nil)}, transact(putInTransaction(of("a", 1025), nil), check("c", absent)), 2 * (2 + 3), true},

		{"batch", nil, batch, 2 + 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bill, err := measure(t, test.op, test.before...)
			if refused(err) != test.refused || !test.refused && err != nil {
				t.Fatalf("got error %v, want refused = %v", err, test.refused)
			}
			if bill.WRU != test.want || bill.RRU != 0 {
				t.Errorf("got %v WRU and %v RRU, want %v and 0", bill.WRU, bill.RRU, test.want)
			}
		})
	}
}

func TestOtherErrorsCostNothing(t *testing.T) {
	t.Parallel()
	bill, err := measure(t, update("a", "no expression", "", nil), put(of("a", 3000), nil))
	if err == nil {
		t.Fatal("got no error")
	}
	if bill.WRU != 0 || bill.Calls["DynamoDB.UpdateItem"] != 1 {
		t.Errorf("got %v, want one call for nothing", bill)
	}
}
