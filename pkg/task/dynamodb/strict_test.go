package dynamodb_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// DynamoDB's limits.
const (
	itemLimit        = 400 << 10
	transactionLimit = 4 << 20
	transactionItems = 100
	expressionLimit  = 4 << 10
	sortKeyLimit     = 1 << 10
)

type values = map[string]types.AttributeValue

// strict refuses what DynamoDB does and emulators don't: placeholders that nothing uses, long
// expressions, items and transactions that are too big.
type strict struct {
	dynamodb.Client
	t testing.TB
}

func (s strict) PutItem(ctx context.Context, in *sdk.PutItemInput, o ...func(*sdk.Options)) (*sdk.PutItemOutput, error) {
	s.item(in.Item)
	s.expressions(in.ExpressionAttributeNames, in.ExpressionAttributeValues, in.ConditionExpression)
	return s.Client.PutItem(ctx, in, o...)
}

func (s strict) UpdateItem(ctx context.Context, in *sdk.UpdateItemInput, o ...func(*sdk.Options)) (*sdk.UpdateItemOutput, error) {
	s.expressions(in.ExpressionAttributeNames, in.ExpressionAttributeValues, in.UpdateExpression, in.ConditionExpression)
	return s.Client.UpdateItem(ctx, in, o...)
}

func (s strict) GetItem(ctx context.Context, in *sdk.GetItemInput, o ...func(*sdk.Options)) (*sdk.GetItemOutput, error) {
	s.expressions(in.ExpressionAttributeNames, nil, in.ProjectionExpression)
	return s.Client.GetItem(ctx, in, o...)
}

func (s strict) Query(ctx context.Context, in *sdk.QueryInput, o ...func(*sdk.Options)) (*sdk.QueryOutput, error) {
	s.expressions(in.ExpressionAttributeNames, in.ExpressionAttributeValues,
		in.KeyConditionExpression, in.FilterExpression, in.ProjectionExpression)
	return s.Client.Query(ctx, in, o...)
}

func (s strict) TransactWriteItems(ctx context.Context, in *sdk.TransactWriteItemsInput, o ...func(*sdk.Options)) (*sdk.TransactWriteItemsOutput, error) {
	s.t.Helper()
	if n := len(in.TransactItems); n > transactionItems {
		s.t.Errorf("transaction: got %d items, want at most %d", n, transactionItems)
	}
	size := 0
	seen := map[string]bool{}
	for _, i := range in.TransactItems {
		var key string
		if p := i.Put; p != nil {
			s.item(p.Item)
			s.expressions(p.ExpressionAttributeNames, p.ExpressionAttributeValues, p.ConditionExpression)
			size += bytesOf(p.Item)
			key = keyOf(p.Item)
		} else {
			u := i.Update
			s.expressions(u.ExpressionAttributeNames, u.ExpressionAttributeValues, u.UpdateExpression, u.ConditionExpression)
			size += bytesOf(u.ExpressionAttributeValues)
			key = keyOf(u.Key)
		}
		if seen[key] {
			s.t.Errorf("transaction: two writes of %s", key)
		}
		seen[key] = true
	}
	if size > transactionLimit {
		s.t.Errorf("transaction: got %d bytes, want at most %d", size, transactionLimit)
	}
	return s.Client.TransactWriteItems(ctx, in, o...)
}

func keyOf(i values) string {
	return i["pk"].(*types.AttributeValueMemberS).Value + " " + i["sk"].(*types.AttributeValueMemberS).Value
}

func (s strict) item(i values) {
	s.t.Helper()
	if n := bytesOf(i); n > itemLimit {
		s.t.Errorf("item %s: got %d bytes, want at most %d", keyOf(i), n, itemLimit)
	}
	if n := len(i["sk"].(*types.AttributeValueMemberS).Value); n > sortKeyLimit {
		s.t.Errorf("sort key: got %d bytes, want at most %d", n, sortKeyLimit)
	}
}

var placeholder = regexp.MustCompile(`[#:][A-Za-z0-9_]+`)

// expressions checks that expressions are short, that they use all placeholders and no others, and
// that no two of these name one attribute: two paths of an update would overlap.
func (s strict) expressions(names map[string]string, v values, all ...*string) {
	s.t.Helper()
	used := map[string]bool{}
	for _, e := range all {
		if e == nil {
			continue
		}
		if n := len(*e); n == 0 || n > expressionLimit {
			s.t.Errorf("expression: got %d bytes, want 1 to %d", n, expressionLimit)
		}
		for _, p := range placeholder.FindAllString(*e, -1) {
			used[p] = true
		}
	}
	given := slices.Concat(slices.Collect(maps.Keys(names)), slices.Collect(maps.Keys(v)))
	slices.Sort(given)
	if d := cmp.Diff(slices.Sorted(maps.Keys(used)), given); d != "" {
		s.t.Errorf("placeholders (-used +given):\n%s", d)
	}
	attributes := slices.Sorted(maps.Values(names))
	if unique := slices.Compact(slices.Clone(attributes)); len(unique) < len(attributes) || len(names) > 0 && unique[0] == "" {
		s.t.Errorf("attributes: got %q, want each once and none without a name", attributes)
	}
}

// bytesOf is an item's size, as DynamoDB counts it or a little more.
func bytesOf(i values) int {
	n := 0
	for name, v := range i {
		n += len(name) + valueBytes(v)
	}
	return n
}

func valueBytes(v types.AttributeValue) int {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return len(v.Value)
	case *types.AttributeValueMemberL:
		n := 3
		for _, v := range v.Value {
			n += 1 + valueBytes(v)
		}
		return n
	case *types.AttributeValueMemberM:
		return 3 + len(v.Value) + bytesOf(v.Value)
	}
	return 1
}
