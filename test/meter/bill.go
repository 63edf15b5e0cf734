package meter

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// List prices in us-east-1, in dollars for a million: aws.amazon.com/dynamodb/pricing/on-demand
// and aws.amazon.com/sqs/pricing, standard queues after the free tier, in 2026.
const (
	priceWRU  = 0.625
	priceRRU  = 0.125
	priceSQS  = 0.40
	priceFair = 0.10 // on top, for a message with a group id
)

// Bill is what some calls cost.
type Bill struct {
	Calls map[string]int // by service and operation: "DynamoDB.PutItem"
	WRU   float64        // write request units of DynamoDB, indexes included
	RRU   float64        // read request units of DynamoDB
	SQS   int            // requests of SQS, one for each 64 KB begun
	Fair  int            // those of them that sent messages with a group id
}

// Dollars is the price of a million times these calls.
func (b Bill) Dollars() float64 {
	return b.WRU*priceWRU + b.RRU*priceRRU + float64(b.SQS)*priceSQS + float64(b.Fair)*priceFair
}

// String is one line for people.
func (b Bill) String() string {
	var calls []string
	for _, op := range slices.Sorted(maps.Keys(b.Calls)) {
		calls = append(calls, fmt.Sprintf("%d %s", b.Calls[op], op))
	}
	return fmt.Sprintf("%s: %g WRU, %g RRU, %d SQS requests; $%.2f a million",
		strings.Join(calls, ", "), b.WRU, b.RRU, b.SQS, b.Dollars())
}

func (b *Bill) add(o Bill) {
	if b.Calls == nil {
		b.Calls = map[string]int{}
	}
	for op, n := range o.Calls {
		b.Calls[op] += n
	}
	b.WRU += o.WRU
	b.RRU += o.RRU
	b.SQS += o.SQS
	b.Fair += o.Fair
}
