package task

import (
	"context"
	"math/rand/v2"
	"time"
)

// Tries is how often a call to a store or a queue is made that fails for no reason of its own.
const Tries = 6

// Backoff waits before the next try after the try-th, counted from 0: 25 ms to 1.6 s, half of it
// by chance. It returns false when there is to be none: ctx ended, or it was the last.
func Backoff(ctx context.Context, try int) bool {
	if try >= Tries-1 {
		return false
	}
	base := 50 * time.Millisecond << try
	t := time.NewTimer(base/2 + rand.N(base/2))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
