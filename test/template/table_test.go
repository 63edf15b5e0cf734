package template

import (
	"fmt"
	"slices"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// The table is the one that the store's suite runs on.
func TestTableIsTheStores(t *testing.T) {
	t.Parallel()
	want := dynamodb.Table("")
	table := read(t).Resources["Table"].Properties
	var indexes, wantIndexes, attributes, wantAttributes []string
	for _, i := range list(table["GlobalSecondaryIndexes"]) {
		indexes = append(indexes, fmt.Sprint(at(i, "IndexName"), keys(at(i, "KeySchema")), at(i, "Projection", "ProjectionType"), at(i, "Projection", "NonKeyAttributes")))
	}
	for _, i := range want.GlobalSecondaryIndexes {
		var k []string
		for _, e := range i.KeySchema {
			k = append(k, fmt.Sprint(*e.AttributeName, " ", e.KeyType))
		}
		wantIndexes = append(wantIndexes, fmt.Sprint(*i.IndexName, k, i.Projection.ProjectionType, i.Projection.NonKeyAttributes))
	}
	for _, a := range list(table["AttributeDefinitions"]) {
		attributes = append(attributes, fmt.Sprint(at(a, "AttributeName"), at(a, "AttributeType")))
	}
	for _, a := range want.AttributeDefinitions {
		wantAttributes = append(wantAttributes, fmt.Sprint(*a.AttributeName, a.AttributeType))
	}
	if !slices.Equal(indexes, wantIndexes) {
		t.Errorf("indexes\n%q, want\n%q", indexes, wantIndexes)
	}
	if !slices.Equal(attributes, wantAttributes) {
		t.Errorf("attributes %q, want %q", attributes, wantAttributes)
	}
	if got := fmt.Sprint(keys(table["KeySchema"])); got != "[pk HASH sk RANGE]" {
		t.Errorf("keys %s", got)
	}
}

// keys is a key schema, in a line.
func keys(schema node) (out []string) {
	for _, e := range list(schema) {
		out = append(out, fmt.Sprint(at(e, "AttributeName"), " ", at(e, "KeyType")))
	}
	return out
}
