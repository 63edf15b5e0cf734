package meter

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func str(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
func num(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }

func TestSize(t *testing.T) {
	t.Parallel()
	list := func(vs ...types.AttributeValue) types.AttributeValue { return &types.AttributeValueMemberL{Value: vs} }
	object := func(m item) types.AttributeValue { return &types.AttributeValueMemberM{Value: m} }
	for _, test := range []struct {
		name string
		it   item
		want int
	}{
		{"nothing", nil, 0},
		{"an empty string", item{"a": str("")}, 1},
		{"names and strings as UTF-8", item{"naïf": str("漢字🦊"), "b": str("xyz")}, 5 + 10 + 1 + 3},
		{"binary", item{"a": &types.AttributeValueMemberB{Value: make([]byte, 7)}}, 1 + 7},
		{"boolean and null", item{"a": &types.AttributeValueMemberBOOL{}, "b": &types.AttributeValueMemberNULL{Value: true}}, 4},
		{"zero", item{"a": num("0")}, 1 + 1},
		{"one digit", item{"a": num("7")}, 1 + 2},
		{"two digits", item{"a": num("42")}, 1 + 2},
		{"three digits", item{"a": num("123")}, 1 + 3},
		{"zeros at the ends do not count", item{"a": num("0012000")}, 1 + 2},
		{"zeros within do", item{"a": num("1000001")}, 1 + 5},
		{"negative, fraction", item{"a": num("-12.34")}, 1 + 4},
		{"exponent", item{"a": num("1.5E+10")}, 1 + 2},
		{"empty list and map", item{"a": list(), "b": object(nil)}, 1 + 3 + 1 + 3},
		{"list", item{"a": list(str("xy"), num("1"))}, 1 + 3 + 2 + 2 + 2},
		{"map", item{"a": object(item{"k": str("xy")})}, 1 + 3 + 1 + 1 + 2},
		{"map in list", item{"a": list(object(item{"k": str("")}))}, 1 + (3 + 1) + (3 + 1) + 1},
		{"sets", item{
			"a": &types.AttributeValueMemberSS{Value: []string{"x", "yz"}},
			"b": &types.AttributeValueMemberNS{Value: []string{"1", "123"}},
			"c": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2, 3}}},
		}, 1 + 3 + 1 + 2 + 3 + 1 + 3},
	} {
		if got := size(test.it); got != test.want {
			t.Errorf("%s: got %d bytes, want %d", test.name, got, test.want)
		}
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 1, 1: 1, 1024: 1, 1025: 2, 2048: 2, 400 << 10: 400} {
		if got := pieces(n, 1024); got != want {
			t.Errorf("pieces of %d bytes: got %d, want %d", n, got, want)
		}
	}
}
