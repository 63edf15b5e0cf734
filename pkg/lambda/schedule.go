package lambda

import (
	"context"
	"errors"

	"github.com/aws/aws-lambda-go/events"
)

// ScheduleHandler is what aws-lambda-go's Start takes for a schedule.
type ScheduleHandler func(context.Context, events.EventBridgeEvent) error

// errFailed is all that leaves a function; the log says the rest.
var errFailed = errors.New("lambda: failed; see the log")

// Scheduled calls f at each event, whatever the event says. An error or a panic of f is logged and
// fails the invocation. The context ends 3 s before the invocation.
func Scheduled(f func(context.Context) error, o Options) ScheduleHandler {
	return func(ctx context.Context, _ events.EventBridgeEvent) (err error) {
		ctx, cancel := withReserve(ctx)
		defer cancel()
		defer func() {
			if p := recover(); p != nil {
				report(ctx, o.log(), p)
				err = errFailed
			}
		}()
		if err := f(ctx); err != nil {
			o.log().ErrorContext(ctx, "lambda: a scheduled call failed", "error", err)
			return errFailed
		}
		return nil
	}
}
