package dynamodb_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// failing answers writes with errors, one after the other, the last for good; nil is success.
// Queries find the conversation's turn 7.
type failing struct {
	dynamodb.Client
	errs []error
	n    int
}

func (f *failing) next() error {
	err := f.errs[min(f.n, len(f.errs)-1)]
	f.n++
	return err
}

func (f *failing) PutItem(context.Context, *sdk.PutItemInput, ...func(*sdk.Options)) (*sdk.PutItemOutput, error) {
	return &sdk.PutItemOutput{}, f.next()
}

func (f *failing) UpdateItem(context.Context, *sdk.UpdateItemInput, ...func(*sdk.Options)) (*sdk.UpdateItemOutput, error) {
	return &sdk.UpdateItemOutput{}, f.next()
}

func (f *failing) TransactWriteItems(context.Context, *sdk.TransactWriteItemsInput, ...func(*sdk.Options)) (*sdk.TransactWriteItemsOutput, error) {
	return &sdk.TransactWriteItemsOutput{}, f.next()
}

func (f *failing) Query(context.Context, *sdk.QueryInput, ...func(*sdk.Options)) (*sdk.QueryOutput, error) {
	return &sdk.QueryOutput{Items: []values{{"sk": &types.AttributeValueMemberS{Value: "M#00000000000000000007"}}}}, nil
}

// canceled is a transaction's failure for these reasons, of its header, its rows and its turn.
func canceled(codes ...string) error {
	err := &types.TransactionCanceledException{}
	for _, code := range codes {
		err.CancellationReasons = append(err.CancellationReasons, types.CancellationReason{Code: aws.String(code)})
	}
	return err
}

const (
	none     = "None"
	failed   = "ConditionalCheckFailed"
	conflict = "TransactionConflict"
)

// The writes of a store, by a client that fails.
var writes = map[string]func(context.Context, *story) error{
	"create": func(ctx context.Context, s *story) error { return s.s.Create(ctx, s.rec, s.events) },
	"renew": func(ctx context.Context, s *story) error {
		return s.s.Renew(ctx, s.rec.Key, task.Guard{Fence: 1, LeaseID: "l"}, s.now)
	},
	"defer": func(ctx context.Context, s *story) error {
		return s.s.Defer(ctx, task.Due{Key: s.rec.Key, Wake: s.now}, s.now)
	},
	"completion": func(ctx context.Context, s *story) error {
		s.rec.Lease = &task.Lease{ID: "l"}
		_, err := s.s.Commit(ctx, s.rec.Key, s.finishing(0, message("q", "Do it.")))
		return err
	},
}

// A conflict with a transaction is no refusal. The write is repeated, and at last fails by an error
// that leaves open what became of it (protocol rule 11, counterexample 18).
func TestConflicts(t *testing.T) {
	t.Parallel()
	for name, write := range writes {
		var busy error = &types.TransactionConflictException{}
		if name == "completion" {
			busy = canceled(conflict, none)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, err := run(t, write, busy, busy, busy, nil)
				if err != nil || client.n != 4 {
					t.Errorf("three conflicts: got %v after %d tries, want success after 4", err, client.n)
				}
				client, err = run(t, write, busy)
				var refused *task.Refused
				if !errors.Is(err, busy) || errors.As(err, &refused) || client.n != dynamodb.ConflictTries {
					t.Errorf("conflicts for good: got %v after %d tries, want the conflict after %d", err, client.n, dynamodb.ConflictTries)
				}
			})
		})
	}
}

// run makes a write by a client that answers these.
func run(t *testing.T, write func(context.Context, *story) error, errs ...error) (*failing, error) {
	client := &failing{errs: errs}
	s := accepted(t, dynamodb.New(client, "tasks", dynamodb.Options{}), "t1", "Do it.")
	return client, write(t.Context(), s)
}

// Whoever is called off waits for no conflict to pass.
func TestConflictCalledOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		client := &failing{errs: []error{&types.TransactionConflictException{}}}
		s := accepted(t, dynamodb.New(client, "tasks", dynamodb.Options{}), "t1", "Do it.")
		if err := writes["renew"](ctx, s); err == nil || client.n != 1 || time.Since(began) > 0 {
			t.Errorf("got %v after %d tries and %v, want an error at once", err, client.n, time.Since(began))
		}
	})
}

// A canceled transaction is what its header's reason says: only if the header was fine it is the
// conversation that moved, and only if no condition failed it may be tried again.
func TestCanceledTransactions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name           string
		err            error
		refused, moved bool
	}{
		{"header", canceled(failed, none), true, false},
		{"header and conversation", canceled(failed, failed), true, false},
		{"header, and a conflict", canceled(failed, conflict), true, false},
		{"conversation", canceled(none, failed), false, true},
		{"conversation, and a conflict", canceled(conflict, failed), false, true},
		{"throttled", canceled("ThrottlingError", none), false, false},
		{"too big", canceled("ValidationError", none), false, false},
		{"without reasons", canceled(), false, false},
		{"without a code", &types.TransactionCanceledException{CancellationReasons: make([]types.CancellationReason, 2)}, false, false},
		{"in progress", &types.TransactionInProgressException{}, false, false},
		{"limited", &types.ProvisionedThroughputExceededException{}, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, err := run(t, writes["completion"], test.err)
			var refused *task.Refused
			var moved *task.ConversationMoved
			if errors.As(err, &refused) != test.refused || errors.As(err, &moved) != test.moved || client.n != 1 {
				t.Errorf("got %v after %d tries, want refused %t, moved %t after 1", err, client.n, test.refused, test.moved)
			}
			if moved != nil && moved.Version != 7 {
				t.Errorf("moved: got version %d, want 7", moved.Version)
			}
			if passed := !test.refused && !test.moved; passed && !errors.Is(err, test.err) {
				t.Errorf("got %v, want the error passed on", err)
			}
		})
	}
}

// What fails otherwise is passed on, after what was being done.
func TestErrorsArePassedOn(t *testing.T) {
	t.Parallel()
	for name, write := range writes {
		for _, want := range []error{&types.ProvisionedThroughputExceededException{}, &types.RequestLimitExceeded{}, context.Canceled} {
			client, err := run(t, write, want)
			var refused *task.Refused
			if !errors.Is(err, want) || errors.As(err, &refused) || client.n != 1 {
				t.Errorf("%s: got %v after %d tries, want %v after 1", name, err, client.n, want)
			}
		}
	}
}

// An error says nothing of the items that it met.
func TestErrorsKeepSecrets(t *testing.T) {
	t.Parallel()
	secret := values{"status": &types.AttributeValueMemberS{Value: "secret"}, "pk": &types.AttributeValueMemberS{Value: "secret"}}
	for name, write := range writes {
		var met error = &types.ConditionalCheckFailedException{Item: secret}
		if name == "completion" {
			met = &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: aws.String(failed), Item: secret}}}
		}
		if _, err := run(t, write, met); err == nil || errors.Is(err, met) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want an error without the item", name, err)
		}
	}
}
