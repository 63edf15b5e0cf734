// Package meter counts what tests call of AWS and what that would cost: the calls of each
// operation, and the units of DynamoDB and SQS by the rules of AWS. It stands in the SDK's
// middleware, so that nothing needs to know of it.
//
// The units of a write that took effect are those that DynamoDB reports. What is computed here is
// what DynamoDB does not report, refused writes, and what the emulator reports wrong, reads. For
// that the meter reads beside the calls, unmetered; while others write the same items it is not
// exact.
// An operation of DynamoDB whose price it does not know fails. Attempts of one call are one call.
package meter

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go/middleware"
)

// Meter adds up a [Bill]. It is safe for concurrent use.
type Meter struct {
	mu   sync.Mutex
	bill Bill
}

// New makes a meter at nought.
func New() *Meter { return &Meter{} }

// Attach makes the clients that will be made of cfg count here.
func (m *Meter) Attach(cfg *aws.Config) {
	p := &pricer{client: dynamodb.NewFromConfig(*cfg)}
	cfg.APIOptions = append(cfg.APIOptions, func(s *middleware.Stack) error {
		return s.Initialize.Add(middleware.InitializeMiddlewareFunc("Meter", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			in.Parameters = reporting(in.Parameters)
			out, md, err := next.HandleInitialize(ctx, in)
			bill, failed := p.price(ctx, in.Parameters, out.Result, err)
			if failed != nil {
				return out, md, fmt.Errorf("meter: %w", failed)
			}
			m.add(bill)
			return out, md, err
		}), middleware.After)
	})
}

// Reset sets the meter to nought.
func (m *Meter) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bill = Bill{}
}

// Bill is what was called since the meter stood at nought.
func (m *Meter) Bill() Bill {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.bill
	b.Calls = maps.Clone(b.Calls)
	return b
}

func (m *Meter) add(b Bill) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bill.add(b)
}

// price is the bill of one call.
func (p *pricer) price(ctx context.Context, in, out any, err error) (Bill, error) {
	service := awsmiddleware.GetServiceID(ctx)
	bill := Bill{Calls: map[string]int{service + "." + awsmiddleware.GetOperationName(ctx): 1}}
	var failed error
	switch service {
	case dynamodb.ServiceID:
		bill.WRU, bill.RRU, failed = p.units(ctx, in, out, err)
	case sqs.ServiceID:
		bill.SQS, bill.Fair = requests(in, out)
	}
	return bill, failed
}
