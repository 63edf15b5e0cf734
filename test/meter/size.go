package meter

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// item is the attributes of an item, or of its key.
type item = map[string]types.AttributeValue

// size is what DynamoDB bills an item at in bytes (Developer Guide, "DynamoDB item sizes and
// formats"): names and values as UTF-8, lists and maps 3 more and 1 an element.
func size(it item) int {
	n := 0
	for name, v := range it {
		n += len(name) + valueSize(v)
	}
	return n
}

func valueSize(v types.AttributeValue) int {
	n := 0
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		n = len(v.Value)
	case *types.AttributeValueMemberN:
		n = numberSize(v.Value)
	case *types.AttributeValueMemberB:
		n = len(v.Value)
	case *types.AttributeValueMemberBOOL, *types.AttributeValueMemberNULL:
		n = 1
	case *types.AttributeValueMemberM:
		n = 3 + len(v.Value) + size(v.Value)
	case *types.AttributeValueMemberL:
		n = 3 + len(v.Value)
		for _, e := range v.Value {
			n += valueSize(e)
		}
	case *types.AttributeValueMemberSS:
		for _, e := range v.Value {
			n += len(e)
		}
	case *types.AttributeValueMemberNS:
		for _, e := range v.Value {
			n += numberSize(e)
		}
	case *types.AttributeValueMemberBS:
		for _, e := range v.Value {
			n += len(e)
		}
	}
	return n
}

// numberSize is a byte for two significant digits, one for the number, and one for a minus. AWS
// says "approximately".
func numberSize(n string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(n), "e")
	digits := strings.Trim(strings.Replace(strings.TrimLeft(mantissa, "+-"), ".", "", 1), "0")
	bytes := 1 + (len(digits)+1)/2
	if strings.HasPrefix(n, "-") {
		bytes++
	}
	return bytes
}

// pieces is how many pieces of a size hold n bytes: at least one, since nothing is billed less.
func pieces(n, size int) int { return max(1, (n+size-1)/size) }
