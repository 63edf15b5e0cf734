package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/task"
)

const (
	conflictTries = 8
	conflictPause = 5 * time.Millisecond // on average before the second try; doubled for each further
)

// settled repeats a write while it conflicts with a transaction: that says nothing about its
// condition (protocol rule 11, counterexample 18).
func settled(ctx context.Context, write func() error) error {
	for try := 0; ; try++ {
		err := write()
		if !conflicts(err) || try == conflictTries-1 {
			return err
		}
		pause := time.NewTimer(rand.N(2 * conflictPause << try))
		select {
		case <-ctx.Done():
			pause.Stop()
			return err
		case <-pause.C:
		}
	}
}

func conflicts(err error) bool {
	var update *types.TransactionConflictException
	if errors.As(err, &update) {
		return true
	}
	var transaction *types.TransactionCanceledException
	if !errors.As(err, &transaction) {
		return false
	}
	conflict := false
	for _, r := range transaction.CancellationReasons {
		switch reason(r) {
		case "ConditionalCheckFailed":
			return false
		case "TransactionConflict":
			conflict = true
		}
	}
	return conflict
}

func reason(r types.CancellationReason) string {
	if r.Code == nil {
		return ""
	}
	return *r.Code
}

// refusal is err as a *[task.Refused] by the item that a condition of an update or a put met, or
// err itself, without what it may say of the item.
func refusal(operation string, err error) error {
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return refusedBy(failed.Item)
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("dynamodb: %s: %w", operation, err)
}

func refusedBy(met item) error {
	if len(met) == 0 {
		return &task.Refused{}
	}
	r, err := met.record()
	if err != nil {
		return err
	}
	return &task.Refused{Current: r}
}
