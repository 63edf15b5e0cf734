package dynamodb

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Sizes in bytes. An item takes 400 KB, a transaction 4 MB and 100 items, with names and keys.
const (
	maxBody        = 300 << 10 // what stands in one item
	maxTransaction = 3 << 20   // the bodies of one transaction
	smallBody      = 1 << 10   // what still does where they are more
)

// A body is the content of a row: its bytes, or the number of the parts that they stand in, at the
// row's own key followed by a tag and the part's number. Parts are written before the row that
// makes them known, and by it alone: what a refused write left lies unread until its task expires.
// No part has a time to live of its own, which would have to be taken off again in time.
type body struct {
	inline []byte
	tag    string
	parts  int
}

func (b body) value() types.AttributeValue {
	if b.parts == 0 {
		return bin(b.inline)
	}
	return &types.AttributeValueMemberM{Value: item{"tag": str(b.tag), "parts": num(uint64(b.parts))}}
}

func bodyOf(v types.AttributeValue) (body, error) {
	switch v := v.(type) {
	case *types.AttributeValueMemberB:
		return body{inline: v.Value}, nil
	case *types.AttributeValueMemberM:
		ref := item(v.Value)
		return body{tag: ref.str("tag"), parts: int(ref.num("parts"))}, nil
	}
	return body{}, fmt.Errorf("dynamodb: a row has no body")
}

func partRow(row, tag string, n int) string { return fmt.Sprintf("%s#%s#%04d", row, tag, n) }

// isPart tells parts from rows.
func (i item) isPart() bool { return i.has("part") }

// store makes a body of bytes for a row, writing parts if they are more than a limit.
func (s *Store) store(ctx context.Context, pk, row, tag string, b []byte, limit int) (body, error) {
	if len(b) <= limit {
		return body{inline: b}, nil
	}
	out := body{tag: tag}
	for ; len(b) > 0; out.parts++ {
		n := min(len(b), maxBody)
		part := item{"pk": str(pk), "sk": str(partRow(row, tag, out.parts)), "part": bin(b[:n])}
		if _, err := s.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: s.table, Item: part}); err != nil {
			return out, refusal("write a part", err)
		}
		b = b[n:]
	}
	return out, nil
}

// parts are those that a query came across, by their sort keys.
type parts map[string][]byte

// load returns a body's bytes, reading the parts that are not at hand.
func (s *Store) load(ctx context.Context, pk, row string, b body, at parts) ([]byte, error) {
	if b.parts == 0 {
		return b.inline, nil
	}
	var out []byte
	for n := range b.parts {
		sk := partRow(row, b.tag, n)
		part, ok := at[sk]
		if !ok {
			got, err := s.get(ctx, pk, sk)
			if err != nil {
				return nil, err
			}
			if !got.isPart() {
				return nil, fmt.Errorf("dynamodb: part %d of a row is missing", n)
			}
			part = got.bin("part")
		}
		out = append(out, part...)
	}
	return out, nil
}

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
