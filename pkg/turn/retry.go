package turn

import (
	"context"
	"math/rand/v2"
	"time"
)

// tries is how often a call to a store is made that fails for no reason of its own.
const tries = 6

// pause waits before the next try, 50 ms to 1.6 s with jitter. It returns false when there is to
// be none.
func pause(ctx context.Context, try int) bool {
	if try == tries-1 {
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
