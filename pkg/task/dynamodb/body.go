package dynamodb

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Sizes in bytes. An item takes 400 KB, a transaction 4 MB and 100 items, with names and keys.
const (
	maxBody        = 300 << 10 // what stands in one item
	maxTransaction = 3 << 20   // the bodies of one transaction
	smallBody      = 1 << 10   // what still does where they are more
)

// A body is the content of a row: its bytes, or the number of the parts that they stand in and the
// tag that names these. Parts are written before the row that makes them known, and by it alone:
// what a refused write left lies unread until its task expires. No part has a time to live of its
// own, which would have to be taken off again in time.
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

// isPart tells parts from rows.
func (i item) isPart() bool { return i.has("part") }

// store makes a body of bytes, writing parts if they are more than a limit. under is what the sort
// keys of the parts begin with: of what a query has to come across with the row, the row's own
// key; else [apart].
func (s *Store) store(ctx context.Context, pk, under, tag string, b []byte, limit int) (body, error) {
	if len(b) <= limit {
		return body{inline: b}, nil
	}
	out := body{tag: tag}
	for ; len(b) > 0; out.parts++ {
		n := min(len(b), maxBody)
		part := item{"pk": str(pk), "sk": str(partRow(under, tag, out.parts)), "part": bin(b[:n])}
		if err := s.put(ctx, part); err != nil {
			return out, err
		}
		b = b[n:]
	}
	return out, nil
}

// put writes an item that only a later write makes known.
func (s *Store) put(ctx context.Context, i item) error {
	_, err := s.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: s.table, Item: i})
	return refusal("write ahead", err)
}

// parts are those that a query came across, by their sort keys.
type parts map[string][]byte

// load returns a body's bytes, with a query for its parts unless they are at hand.
func (s *Store) load(ctx context.Context, pk, under string, b body, at parts) ([]byte, error) {
	if b.parts == 0 {
		return b.inline, nil
	}
	if at[partRow(under, b.tag, 0)] == nil {
		var err error
		if _, at, err = s.query(ctx, pk, beginsWith(partRows(under, b.tag))); err != nil {
			return nil, err
		}
	}
	var out []byte
	for n := range b.parts {
		part, ok := at[partRow(under, b.tag, n)]
		if !ok {
			return nil, fmt.Errorf("dynamodb: part %d of a row is missing", n)
		}
		out = append(out, part...)
	}
	return out, nil
}
