package queue

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

const (
	receiveBackoff = time.Second     // after a receive that failed
	deleteTimeout  = 5 * time.Second // so that a delete can't hold up a shutdown
)

// Run is the pump: it receives from q and hands each message to handle, at most workers at once,
// each invisible to others for the time given, which handle may extend. It deletes what handle
// reports done and leaves the rest to come back. A panic of handle is logged and means not done.
//
// When ctx ends, so do the contexts of the handlers; Run returns when all of them have.
func Run(ctx context.Context, q Queue, workers int, visible time.Duration, handle func(context.Context, Delivery) (done bool)) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				pump(ctx, q, visible, handle)
			}
		})
	}
	wg.Wait()
}

// pump receives and handles one message.
func pump(ctx context.Context, q Queue, visible time.Duration, handle func(context.Context, Delivery) bool) {
	ds, err := q.Receive(ctx, 1, visible)
	if err != nil && ctx.Err() == nil {
		slog.ErrorContext(ctx, "queue: could not receive", "error", err)
		pause(ctx, receiveBackoff)
	}
	for _, d := range ds {
		if !recovered(ctx, d, handle) {
			continue
		}
		// Done is done, even if ctx ended in the meantime.
		dctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteTimeout)
		if err := q.Delete(dctx, d.Receipt); err != nil {
			slog.ErrorContext(ctx, "queue: could not delete", "task", d.Poke.Key.ID, "error", err)
		}
		cancel()
	}
}

// recovered is handle without its panics.
func recovered(ctx context.Context, d Delivery, handle func(context.Context, Delivery) bool) (done bool) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "queue: handler panicked", "task", d.Poke.Key.ID, "panic", p, "stack", string(debug.Stack()))
			done = false
		}
	}()
	return handle(ctx, d)
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
