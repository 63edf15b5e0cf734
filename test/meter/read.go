package meter

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// pricer knows what calls of DynamoDB cost.
type pricer struct {
	client *dynamodb.Client // unmetered
	keys   sync.Map         // table → names of its key's attributes, []string
}

// units are the write and read request units of a call.
func (p *pricer) units(ctx context.Context, in, out any, err error) (wru, rru float64, _ error) {
	switch in := in.(type) {
	case *dynamodb.PutItemInput, *dynamodb.UpdateItemInput, *dynamodb.DeleteItemInput,
		*dynamodb.BatchWriteItemInput, *dynamodb.TransactWriteItemsInput:
		wru, err := p.writeUnits(ctx, in, out, err)
		return wru, 0, err
	case *dynamodb.GetItemInput:
		if err != nil {
			return 0, 0, nil
		}
		whole, err := p.stored(ctx, *in.TableName, in.Key)
		return 0, readUnits(size(whole), in.ConsistentRead), err
	case *dynamodb.QueryInput:
		if err != nil {
			return 0, 0, nil
		}
		n, err := p.queried(ctx, in, out.(*dynamodb.QueryOutput))
		return 0, readUnits(n, in.ConsistentRead), err
	case *dynamodb.CreateTableInput, *dynamodb.DescribeTableInput, *dynamodb.DeleteTableInput,
		*dynamodb.UpdateTimeToLiveInput:
		return 0, 0, nil
	}
	return 0, 0, fmt.Errorf("the price of %T is not known", in)
}

// readUnits is what reading n bytes in one call costs: half as much when eventually consistent.
func readUnits(n int, consistent *bool) float64 {
	units := float64(pieces(n, 4<<10))
	if aws.ToBool(consistent) {
		return units
	}
	return units / 2
}

// stored is the whole item with the key that attrs holds; nil if there is none.
func (p *pricer) stored(ctx context.Context, table string, attrs item) (item, error) {
	names, err := p.keyNames(ctx, table)
	if err != nil {
		return nil, err
	}
	key := item{}
	for _, name := range names {
		key[name] = attrs[name]
	}
	out, err := p.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, err
	}
	return out.Item, nil
}

// keyNames asks once a table.
func (p *pricer) keyNames(ctx context.Context, table string) ([]string, error) {
	if names, ok := p.keys.Load(table); ok {
		return names.([]string), nil
	}
	out, err := p.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range out.Table.KeySchema {
		names = append(names, *e.AttributeName)
	}
	p.keys.Store(table, names)
	return names, nil
}

// queried is the size of all that a query read, whether or not it was filtered out or cut down
// afterwards. An index holds no more than it projects.
func (p *pricer) queried(ctx context.Context, in *dynamodb.QueryInput, out *dynamodb.QueryOutput) (int, error) {
	items := out.Items
	cut := len(items) < int(out.ScannedCount) || in.ProjectionExpression != nil
	if cut && out.ScannedCount > 0 {
		whole, err := p.client.Query(ctx, unfiltered(in))
		if err != nil {
			return 0, err
		}
		items = whole.Items
	}
	n := 0
	for _, it := range items {
		n += size(it)
	}
	return n, nil
}

// placeholder is a name or value in an expression.
var placeholder = regexp.MustCompile(`[#:]\w+`)

// unfiltered is the query for all that in read. (A limit counts what is read.)
func unfiltered(in *dynamodb.QueryInput) *dynamodb.QueryInput {
	used := placeholder.FindAllString(*in.KeyConditionExpression, -1)
	whole := *in
	whole.FilterExpression, whole.ProjectionExpression, whole.Select = nil, nil, ""
	whole.ExpressionAttributeNames = only(in.ExpressionAttributeNames, used)
	whole.ExpressionAttributeValues = only(in.ExpressionAttributeValues, used)
	return &whole
}

// only is m without the keys that are not among names; nil rather than empty.
func only[V any](m map[string]V, names []string) map[string]V {
	m = maps.Clone(m)
	maps.DeleteFunc(m, func(k string, _ V) bool { return !slices.Contains(names, k) })
	if len(m) == 0 {
		return nil
	}
	return m
}
