package meter

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
)

func TestReadUnits(t *testing.T) {
	t.Parallel()
	sk := aws.String("sk")
	all := dynamodb.QueryInput{KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: item{":p": str("p")}}
	strong, two, projected, counted, filtered, none, index := all, all, all, all, all, all, all
	strong.ConsistentRead = aws.Bool(true)
	two.Limit = aws.Int32(2)
	projected.ProjectionExpression, projected.ExpressionAttributeNames = aws.String("#sk"), map[string]string{"#sk": "sk"}
	counted.Select = types.SelectCount
	filtered.FilterExpression = aws.String("fat = :fat")
	filtered.ExpressionAttributeValues = item{":p": str("p"), ":fat": str("no")}
	both := filtered
	both.Limit = aws.Int32(2)
	none.ExpressionAttributeValues = item{":p": str("nobody")}
	index.IndexName, index.KeyConditionExpression = aws.String("owner"), aws.String("#o = :p")
	index.ExpressionAttributeNames = map[string]string{"#o": "owner"}
	index.ExpressionAttributeValues = item{":p": str("ann")}

	three := []op{put(of("a", 3000), nil), put(of("b", 3000), nil), put(of("c", 3000), nil)} // 9000 bytes, 3 units
	large := indexed("d", "s")
	large["fat"] = str(strings.Repeat("x", 20000)) // not in the index
	for _, test := range []struct {
		name   string
		before []op
		op     op
		want   float64
	}{
		{"get 4 KB", []op{put(of("a", 4096), nil)}, get("a", false, nil), 0.5},
		{"get a byte more", []op{put(of("a", 4097), nil)}, get("a", false, nil), 1},
		{"get, strong", []op{put(of("a", 4097), nil)}, get("a", true, nil), 2},
		{"get a part of it", []op{put(of("a", 4097), nil)}, get("a", true, sk), 2},
		{"get nothing", nil, get("a", false, nil), 0.5},
		{"get nothing, strong", nil, get("a", true, nil), 1},

		{"query", three, query(all), 1.5},
		{"query, strong", three, query(strong), 3},
		{"query with a limit", three, query(two), 1}, // 6000 bytes
		{"query a part", three, query(projected), 1.5},
		{"query a count", three, query(counted), 1.5},
		{"query with a filter", three, query(filtered), 1.5},
		{"query with a filter and a limit", three, query(both), 1},
		{"query nothing", three, query(none), 0.5},
		{"query an index", []op{put(large, nil)}, query(index), 0.5},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bill, err := measure(t, test.op, test.before...)
			if err != nil {
				t.Fatal(err)
			}
			if bill.RRU != test.want || bill.WRU != 0 {
				t.Errorf("got %v RRU and %v WRU, want %v and 0", bill.RRU, bill.WRU, test.want)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	bill, err := measure(t, func(ctx context.Context, c *dynamodb.Client) error {
		put(of("a", 100), nil)(ctx, c)
		put(of("a", 100), aws.String("attribute_not_exists(pk)"))(ctx, c) // read beside, unmetered
		return get("a", true, aws.String("sk"))(ctx, c)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Bill{Calls: map[string]int{"DynamoDB.PutItem": 2, "DynamoDB.GetItem": 1}, WRU: 2, RRU: 1}
	if diff := cmp.Diff(want, bill); diff != "" {
		t.Errorf("bill (-want +got):\n%s", diff)
	}
}

// A price that is made up would be believed.
func TestUnknownOperationFails(t *testing.T) {
	t.Parallel()
	_, err := measure(t, func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.Scan(ctx, &dynamodb.ScanInput{TableName: table})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "ScanInput") {
		t.Errorf("got %v, want an error that names the operation", err)
	}
}
