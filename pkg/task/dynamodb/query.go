package dynamodb

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// get reads one item as of now; nil where there is none.
func (s *Store) get(ctx context.Context, pk, sk string, attributes ...string) (item, error) {
	in := &dynamodb.GetItemInput{
		TableName: s.table, Key: item{"pk": str(pk), "sk": str(sk)}, ConsistentRead: new(true),
	}
	if len(attributes) > 0 {
		e := newExpression()
		var names []string
		for _, a := range attributes {
			names = append(names, e.name(a))
		}
		in.ProjectionExpression = new(strings.Join(names, ", "))
		in.ExpressionAttributeNames = e.names
	}
	out, err := s.db.GetItem(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("dynamodb: read an item: %w", err)
	}
	return out.Item, nil
}

// span is which sort keys of a partition a query wants, and in which order. Zero: all.
type span struct {
	condition func(e *expression) string
	backwards bool
}

func upTo(from, to string) span {
	return span{condition: func(e *expression) string {
		return fmt.Sprintf("%s BETWEEN %s AND %s", e.name("sk"), e.value(str(from)), e.value(str(to)))
	}}
}

// downTo is upTo, the last key first.
func downTo(from, to string) span {
	s := upTo(from, to)
	s.backwards = true
	return s
}

func beginsWith(prefix string) span {
	return span{condition: func(e *expression) string {
		return fmt.Sprintf("begins_with(%s, %s)", e.name("sk"), e.value(str(prefix)))
	}}
}

// spanQuery asks for a span of a partition as of now.
func (s *Store) spanQuery(pk string, of span, e *expression) *dynamodb.QueryInput {
	condition := e.name("pk") + " = " + e.value(str(pk))
	if of.condition != nil {
		condition += " AND " + of.condition(e)
	}
	return &dynamodb.QueryInput{
		TableName: s.table, KeyConditionExpression: &condition, ConsistentRead: new(true), ScanIndexForward: new(!of.backwards),
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
	}
}

// query reads a span: rows in order, and parts by their keys.
func (s *Store) query(ctx context.Context, pk string, of span) ([]item, parts, error) {
	var rows []item
	at := parts{}
	for i, err := range s.pages(ctx, s.spanQuery(pk, of, newExpression())) {
		if err != nil {
			return nil, nil, err
		}
		if i.isPart() {
			at[i.str("sk")] = i.bin("part")
		} else {
			rows = append(rows, i)
		}
	}
	return rows, at, nil
}

// pages yields the items of a query, page by page as they are asked for.
func (s *Store) pages(ctx context.Context, in *dynamodb.QueryInput) func(yield func(item, error) bool) {
	return func(yield func(item, error) bool) {
		var start map[string]types.AttributeValue
		for {
			page := *in
			page.ExclusiveStartKey = start
			out, err := s.db.Query(ctx, &page)
			if err != nil {
				yield(nil, fmt.Errorf("dynamodb: query: %w", err))
				return
			}
			for _, i := range out.Items {
				if !yield(i, nil) {
					return
				}
			}
			if start = out.LastEvaluatedKey; len(start) == 0 {
				return
			}
		}
	}
}
