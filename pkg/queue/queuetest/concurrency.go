package queuetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/queue"
)

const (
	senders   = 8
	receivers = 8
	each      = 25 // messages of one sender
)

// testConcurrency holds that many at once lose nothing, and that what one holds no other gets.
func testConcurrency(t *testing.T, h Harness) {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	got := &tally{count: map[queue.Poke]int{}, enough: cancel}
	var wg sync.WaitGroup
	for s := range senders {
		wg.Go(func() {
			for n := range each {
				p := poke(fmt.Sprintf("tenant-%d", s), fmt.Sprintf("t1.%d", n))
				if err := h.Queue.Send(ctx, p, 0); err != nil {
					t.Errorf("Send: %v", err)
				}
			}
		})
	}
	for range receivers {
		wg.Go(func() { h.drain(ctx, t, got) })
	}
	wg.Wait()
	if len(got.count) != senders*each {
		t.Errorf("received %d different messages, want %d", len(got.count), senders*each)
	}
	for p, n := range got.count {
		if n != 1 {
			t.Errorf("%s of %s: received %d times, want once", p.Key.ID, p.Key.Tenant, n)
		}
	}
	h.nothing(t)
}

// drain receives and deletes until ctx ends.
func (h Harness) drain(ctx context.Context, t *testing.T, got *tally) {
	for {
		ds, err := h.Queue.Receive(ctx, 3, long)
		if errors.Is(err, context.Canceled) {
			return
		}
		if err != nil {
			t.Errorf("Receive: %v", err)
			return
		}
		for _, d := range ds {
			if err := h.Queue.Delete(context.WithoutCancel(ctx), d.Receipt); err != nil {
				t.Errorf("Delete: %v", err)
			}
			got.add(d.Poke)
		}
	}
}

// tally counts what was received and says when that is all.
type tally struct {
	mu     sync.Mutex
	count  map[queue.Poke]int
	enough func()
}

func (c *tally) add(p queue.Poke) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count[p]++
	if len(c.count) == senders*each {
		c.enough()
	}
}
